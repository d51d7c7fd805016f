import json

import pytest

from emulator.testing import Kit
from tests.cli.servers import running

CONFIG = """
queues:
  - name: orders
    attributes:
      VisibilityTimeout: 60
      RedriveAllowPolicy: {redrivePermission: denyAll}
    tags: {team: core}
    redrive: {to: dead, max_receive_count: 3}
  - name: dead
  - name: stamped.fifo
    attributes: {FifoQueue: true, ContentBasedDeduplication: true}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sqs.yaml").write_text(CONFIG)
    return tmp_path


def attributes(server, queue):
    return server.call("GetQueueAttributes", QueueUrl=queue, AttributeNames=["All"])["Attributes"]


def redrive_policy(server, queue):
    return json.loads(attributes(server, queue)["RedrivePolicy"])


def test_declared_queues_are_there_when_the_server_is_ready(folder):
    with running("--config", "sqs.yaml", cwd=folder) as server:
        urls = server.call("ListQueues")["QueueUrls"]
        assert [url.rsplit("/", 1)[1] for url in urls] == ["dead", "orders", "stamped.fifo"]
        assert attributes(server, "orders")["VisibilityTimeout"] == "60"
        assert json.loads(attributes(server, "orders")["RedriveAllowPolicy"]) == {
            "redrivePermission": "denyAll"
        }
        assert attributes(server, "stamped.fifo")["ContentBasedDeduplication"] == "true"
        assert server.call("ListQueueTags", QueueUrl="orders") == {"Tags": {"team": "core"}}


def test_a_dead_letter_queue_may_be_declared_after_its_source(folder):
    with running("--config", "sqs.yaml", cwd=folder) as server:
        assert redrive_policy(server, "orders") == {
            "deadLetterTargetArn": "arn:aws:sqs:us-east-1:000000000000:dead",
            "maxReceiveCount": 3,
        }


def test_declared_queues_belong_to_the_account_and_region_of_the_settings(folder):
    with running(
        "--config", "sqs.yaml", "--account", "123456789012", "--region", "eu-west-1", cwd=folder
    ) as server:
        arn = "arn:aws:sqs:eu-west-1:123456789012:dead"
        assert attributes(server, "dead")["QueueArn"] == arn
        assert redrive_policy(server, "orders")["deadLetterTargetArn"] == arn


def test_a_restart_with_the_same_data_and_config_keeps_the_messages(folder):
    flags = ("--data", "sqs.db", "--config", "sqs.yaml")
    with running(*flags, cwd=folder) as server:
        server.call("SendMessage", QueueUrl="orders", MessageBody="keep me")
        server.stop()
    with running(*flags, cwd=folder) as server:
        (message,) = server.call("ReceiveMessage", QueueUrl="orders")["Messages"]
        assert message["Body"] == "keep me"


def test_a_restart_brings_attributes_tags_and_redrive_to_what_is_declared_now(folder):
    with running("--data", "sqs.db", "--config", "sqs.yaml", cwd=folder) as server:
        server.call("SetQueueAttributes", QueueUrl="orders", Attributes={"DelaySeconds": "7"})
        server.call("TagQueue", QueueUrl="orders", Tags={"owner": "me"})
        server.stop()
    changed = CONFIG.replace("VisibilityTimeout: 60", "VisibilityTimeout: 90").replace("core", "shop")
    (folder / "sqs.yaml").write_text(changed.replace("max_receive_count: 3", "max_receive_count: 5"))
    with running("--data", "sqs.db", "--config", "sqs.yaml", cwd=folder) as server:
        assert attributes(server, "orders")["VisibilityTimeout"] == "90"
        assert redrive_policy(server, "orders")["maxReceiveCount"] == 5
        # What the file does not name stays as it was.
        assert attributes(server, "orders")["DelaySeconds"] == "7"
        assert server.call("ListQueueTags", QueueUrl="orders") == {"Tags": {"team": "shop", "owner": "me"}}


def test_a_declared_queue_deleted_just_before_a_restart_is_created_again(folder):
    flags = ("--data", "sqs.db", "--config", "sqs.yaml")
    with running(*flags, cwd=folder) as server:
        server.call("DeleteQueue", QueueUrl="orders")
        server.stop()
    with running(*flags, cwd=folder) as server:
        assert server.call("GetQueueUrl", QueueName="orders")["QueueUrl"].endswith("/orders")


def test_a_redrive_policy_may_be_given_as_an_attribute_with_an_arn(folder):
    policy = "{deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:dead', maxReceiveCount: 2}"
    text = f"queues: [{{name: orders, attributes: {{RedrivePolicy: {policy}}}}}, dead]"
    (folder / "sqs.yaml").write_text(text)
    with running("--config", "sqs.yaml", cwd=folder) as server:
        assert redrive_policy(server, "orders")["maxReceiveCount"] == 2


def test_a_reset_brings_the_declared_queues_back_as_declared(folder):
    with running("--config", "sqs.yaml", cwd=folder) as server:
        server.call("SendMessage", QueueUrl="orders", MessageBody="hello")
        server.call("SetQueueAttributes", QueueUrl="orders", Attributes={"VisibilityTimeout": "5"})
        server.call("CreateQueue", QueueName="more")
        Kit(server.url).reset()
        urls = server.call("ListQueues")["QueueUrls"]
        assert [url.rsplit("/", 1)[1] for url in urls] == ["dead", "orders", "stamped.fifo"]
        found = attributes(server, "orders")
        assert (found["VisibilityTimeout"], found["ApproximateNumberOfMessages"]) == ("60", "0")
        assert redrive_policy(server, "orders")["maxReceiveCount"] == 3
