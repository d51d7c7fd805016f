"""The Celery app and its broker, for the workers and for the script that sends them tasks."""

import os
from typing import Any

from celery import Celery

# How many seconds until a message whose task has failed comes again, by the number of times it was received.
BACKOFF = {"backoff_tasks": ["tasks.fail_until_received"], "backoff_policy": {1: 1, 2: 1}}


def app_for(predefined: dict[str, str]) -> Celery:
    """Given the URLs of queues the app uses those and no others; without, Celery makes its own."""
    app = Celery("compat", broker=os.environ["SQS_ENDPOINT"].replace("http://", "sqs://test:test@") + "//")
    options: dict[str, Any] = {
        "region": os.environ["AWS_DEFAULT_REGION"],
        "is_secure": False,
        "visibility_timeout": 60,
        "wait_time_seconds": 20,
        "polling_interval": 0,
        # A retry that succeeds would hide an answer that was wrong.
        "client-config": {"retries": {"total_max_attempts": 1}},
    }
    if predefined:
        options["predefined_queues"] = {name: {"url": url} | BACKOFF for name, url in predefined.items()}
    else:
        options["queue_name_prefix"] = "made-by-celery-"
    app.conf.update(
        broker_transport_options=options,
        broker_connection_retry_on_startup=False,
        task_ignore_result=True,
        # Both need broadcasts, which SQS does not have.
        worker_enable_remote_control=False,
        worker_send_task_events=False,
    )
    return app
