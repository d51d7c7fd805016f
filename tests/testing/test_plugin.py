"""The fixtures, as a test suite of somebody else uses them."""

import os
import subprocess
import sys

import pytest

from emulator.testing.plugin import account_for

pytest_plugins = ["pytester"]
LEAN = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "--assert=plain")
"""Without what our own environment adds, and loads anew for each run."""


@pytest.fixture(scope="module", autouse=True)
def loaded(shared):
    """A run inside this process forgets what it loads: all that the fixtures need is loaded before."""
    shared.client().list_queues()
    shared.kit.queues()


@pytest.fixture
def outcomes(pytester, monkeypatch):
    """Runs a test file in this process and says what became of its tests."""
    monkeypatch.delenv("SQS_EMULATOR_URL", raising=False)

    def run(text, *arguments):
        pytester.makepyfile(text)
        return pytester.runpytest_inprocess("-W", "error", *LEAN, *arguments)

    return run


def test_the_fixtures_need_no_configuration(outcomes):
    outcomes("""
        def test_a_message_is_sent_and_received(sqs, sqs_queue):
            sqs.send_message(QueueUrl=sqs_queue, MessageBody="hello")
            (message,) = sqs.receive_message(QueueUrl=sqs_queue)["Messages"]
            assert message["Body"] == "hello"

        def test_a_fifo_queue_deduplicates_by_content(sqs, sqs_fifo_queue, sqs_kit):
            for _ in range(2):
                sqs.send_message(QueueUrl=sqs_fifo_queue, MessageBody="hello", MessageGroupId="a")
            assert sqs_kit.bodies(sqs_fifo_queue) == ["hello"]
    """).assert_outcomes(passed=2)


def test_a_test_finds_nothing_of_the_tests_before_it(outcomes):
    outcomes("""
        import pytest

        @pytest.mark.parametrize("number", range(3))
        def test_alone(number, sqs, sqs_account, sqs_server, sqs_kit, sqs_faults):
            assert sqs_server.kit.queues() == []
            assert sqs_kit.journal.events() == sqs_faults.planned() == []
            sqs.create_queue(QueueName="queue")
            sqs.send_message(QueueUrl="queue", MessageBody="hello")
            sqs_faults.add("throttle")
            sqs_kit.clock.set("2030-01-01T00:00:00Z")
    """).assert_outcomes(passed=3)


def test_the_clock_stands_still_until_the_test_moves_it(outcomes):
    outcomes("""
        def test_a_message_comes_back_after_twelve_hours(sqs, sqs_queue, sqs_clock):
            sqs.send_message(QueueUrl=sqs_queue, MessageBody="hello")
            assert sqs.receive_message(QueueUrl=sqs_queue, VisibilityTimeout=43_200)["Messages"]
            before_ms = sqs_clock.now_ms()
            sqs_clock.advance(seconds=43_199)
            assert "Messages" not in sqs.receive_message(QueueUrl=sqs_queue)
            sqs_clock.advance(seconds=1)
            assert sqs_clock.now_ms() == before_ms + 43_200_000
            assert sqs.receive_message(QueueUrl=sqs_queue)["Messages"]

        def test_the_server_and_other_tests_keep_their_time(sqs_server, sqs_kit):
            assert sqs_server.kit.clock.read().real
            assert sqs_kit.clock.read().real
    """).assert_outcomes(passed=2)


def test_the_journal_and_faults_are_those_of_the_test(outcomes):
    outcomes("""
        import pytest

        def test_a_call_is_throttled_once(sqs, sqs_queue, sqs_faults, sqs_journal):
            sqs_faults.add("throttle", queue=sqs_queue, actions=["SendMessage"], times=1)
            with pytest.raises(sqs.exceptions.RequestThrottled):
                sqs.send_message(QueueUrl=sqs_queue, MessageBody="hello")
            sqs.send_message(QueueUrl=sqs_queue, MessageBody="hello")
            assert sqs_journal.kinds() == ["fault", "sent"]
            assert [fault.acted for fault in sqs_faults.planned()] == [1]
    """).assert_outcomes(passed=1)


def test_a_poll_that_a_test_leaves_behind_ends_with_it(outcomes):
    outcomes("""
        import threading

        ENDED = []

        def poll(sqs, queue_url):
            try:
                sqs.receive_message(QueueUrl=queue_url, WaitTimeSeconds=20)
            except sqs.exceptions.QueueDoesNotExist:
                ENDED.append(True)

        def test_a_consumer_waits_on_a_clock_that_stands_still(sqs, sqs_queue, sqs_clock):
            threads.append(threading.Thread(target=poll, args=(sqs, sqs_queue)))
            threads[0].start()

        threads = []

        def test_it_does_not_wait_any_more():
            threads[0].join(10)
            assert ENDED == [True]
    """).assert_outcomes(passed=2)


def test_aws_env_points_every_client_at_the_server_for_one_test(outcomes, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "real")
    outcomes("""
        import os, boto3, pytest

        @pytest.mark.parametrize("number", range(2))
        def test_a_client_made_by_the_program(number, aws_env, sqs_account):
            url = boto3.client("sqs").create_queue(QueueName="queue")["QueueUrl"]
            assert url == f"{aws_env}/{sqs_account}/queue"

        def test_afterwards_all_is_as_it_was(sqs):
            assert os.environ["AWS_ACCESS_KEY_ID"] == "real"
            assert os.environ["AWS_PROFILE"] == "nobody"
            assert "AWS_ENDPOINT_URL_SQS" not in os.environ
    """).assert_outcomes(passed=3)


def test_without_aws_env_nothing_global_changes(outcomes):
    outcomes("""
        import logging, os, signal

        def globals():
            uvicorn = logging.getLogger("uvicorn"), logging.getLogger("uvicorn.access")
            environment = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
            loggers = [(one.level, one.handlers, one.propagate) for one in (logging.root, *uvicorn)]
            return environment, loggers[0][0], loggers[1:], signal.getsignal(signal.SIGINT)

        BEFORE = globals()

        def test_it(sqs, sqs_queue, sqs_clock, sqs_journal, sqs_faults):
            assert globals() == BEFORE
    """).assert_outcomes(passed=1)


def test_options_of_the_client_can_be_overridden(outcomes):
    outcomes("""
        import pytest
        from botocore.config import Config

        @pytest.fixture
        def sqs_client_options():
            return {"region_name": "eu-west-1", "config": Config(retries={"total_max_attempts": 3})}

        def test_it(sqs, sqs_kit):
            sqs.create_queue(QueueName="queue")
            assert sqs_kit.queue("queue").region == "eu-west-1"
            assert sqs.meta.config.retries["total_max_attempts"] == 3
    """).assert_outcomes(passed=1)


def test_a_server_that_runs_already_is_used(outcomes, shared, monkeypatch):
    monkeypatch.setenv("SQS_EMULATOR_URL", shared.url + "/")
    outcomes(f"""
        def test_it(sqs_server, sqs, sqs_queue):
            assert sqs_server.url == {shared.url!r}
            assert sqs_queue.startswith({shared.url!r})
    """).assert_outcomes(passed=1)
    assert "queue" not in [queue.name for queue in shared.kit.queues()]


def test_a_server_that_does_not_run_is_named(outcomes, monkeypatch):
    monkeypatch.setenv("SQS_EMULATOR_URL", "http://127.0.0.1:1")
    result = outcomes("def test_it(sqs): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no sqs-emulator answers at http://127.0.0.1:1: Connection refused"])


def test_without_boto3_the_other_fixtures_work_and_the_client_says_what_is_missing(pytester):
    pytester.makeconftest("import sys; sys.modules['boto3'] = None")
    pytester.makepyfile("""
        def test_a_client(sqs): pass

        def test_the_kit(sqs_kit): assert sqs_kit.queues() == []
    """)
    result = pytester.runpytest_subprocess(*LEAN)
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines(["fixture 'sqs': *which is not installed: pip install boto3"])


def test_a_run_that_needs_no_fixture_loads_nothing():
    heavy = {"boto3", "uvicorn", "msgspec", "asyncio", "emulator.app", "emulator.testing.kit"}
    code = f"import sys, emulator.testing.plugin; print(sorted({heavy!r} & set(sys.modules) - set(BEFORE)))"
    code = f"import pytest, sys; BEFORE = set(sys.modules); {code}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "[]"


def test_accounts_have_twelve_digits_and_differ():
    accounts = {account_for("run", f"gw{worker}", "test.py::test") for worker in range(4) for _ in range(250)}
    assert len(accounts) == 1_000
    assert all(len(account) == 12 and account.isdigit() and account[0] != "0" for account in accounts)


def test_the_plugin_is_the_one_that_is_installed(pytestconfig):
    assert pytestconfig.pluginmanager.get_plugin("sqs_emulator").__name__ == "emulator.testing.plugin"
    assert os.environ.get("AWS_ENDPOINT_URL_SQS") is None
