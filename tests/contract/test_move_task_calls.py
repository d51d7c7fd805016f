"""StartMessageMoveTask, CancelMessageMoveTask, ListMessageMoveTasks: what they take, and what they refuse."""

import base64
import json

import boto3
import pytest
from botocore.config import Config

from tests.contract.clients import client_of
from tests.contract.fifo import policy_to
from tests.contract.move_tasks import ended, start, until_moved
from tests.support.answers import Refusal, content, error_of, invalid, missing, queue_attributes, send
from tests.support.answers import entries as batch

ACCOUNT = "arn:aws:sqs:us-east-1:000000000000"
NOT_A_DLQ = "Source queue must be configured as a Dead Letter Queue."
SAME = "Source queue arn and destination queue arn cannot be the same."
OTHER_TYPE = "The source queue and destination queue must be of the same queue type."
RUNNING = (
    "There is already a task running. Only one active task is allowed for a source queue arn at a given time."
)
BAD_RATE = (
    "Value for parameter MaxNumberOfMessagesPerSecond is invalid. "
    "Reason: You must enter a number that's between 1 and 500."
)
NO_TASK = Refusal(404, "ResourceNotFoundException", "Task does not exist.")


def no_such(parameter):
    text = f"The resource that you specified for the {parameter} parameter doesn't exist."
    return Refusal(404, "ResourceNotFoundException", text)


def not_an_arn(parameter):
    form = "arn:<partition>:<service>:<region>:<account-id>:<resource-id>"
    return invalid(f"You must use this format to specify the {parameter}: {form}")


def handle_of(task_id, source_arn):
    return base64.b64encode(json.dumps({"taskId": task_id, "sourceArn": source_arn}).encode()).decode()


@pytest.fixture
def dead(with_dead_letters, arn_of):
    """The ARN of a dead-letter queue."""
    return arn_of(with_dead_letters()[1])


@pytest.fixture
def running(sqs, with_dead_letters, make_queue):
    """Starts a task that runs until the clock is moved; returns its source and its handle."""

    def begin():
        source = with_dead_letters()[1]
        send(sqs, source, "a", "b", "c")
        return source, start(sqs, source, make_queue(), rate=1)

    return begin


def entries(sqs, source_arn, **members):
    return sqs.list_message_move_tasks(SourceArn=source_arn, **members)["Results"]


# StartMessageMoveTask


def test_an_unknown_source_is_refused(sqs):
    arn = f"{ACCOUNT}:no-such-queue"
    assert error_of(sqs.start_message_move_task, SourceArn=arn) == no_such("SourceArn")


def test_an_unknown_destination_is_refused(sqs, dead):
    members = {"SourceArn": dead, "DestinationArn": f"{ACCOUNT}:no-such-queue"}
    assert error_of(sqs.start_message_move_task, **members) == no_such("DestinationArn")


@pytest.mark.parametrize("deleted", ["SourceArn", "DestinationArn"])
def test_a_deleted_queue_is_unknown(sqs, with_dead_letters, make_queue, arn_of, deleted):
    queues = {"SourceArn": with_dead_letters()[1], "DestinationArn": make_queue()}
    members = {name: arn_of(queue) for name, queue in queues.items()}
    sqs.delete_queue(QueueUrl=queues[deleted])
    assert error_of(sqs.start_message_move_task, **members) == no_such(deleted)


def test_a_source_is_the_dead_letter_queue_of_some_queue(sqs, queue, arn_of):
    assert error_of(sqs.start_message_move_task, SourceArn=arn_of(queue)) == invalid(NOT_A_DLQ)


def test_a_queue_whose_last_source_was_deleted_is_no_dead_letter_queue(sqs, with_dead_letters, arn_of):
    source, dead = with_dead_letters()
    sqs.delete_queue(QueueUrl=source)
    assert error_of(sqs.start_message_move_task, SourceArn=arn_of(dead)) == invalid(NOT_A_DLQ)


@pytest.mark.parametrize("arn", ["dead-letters", "arn:aws:sqs:us-east-1", "arn:aws:sqs:us-east-1:1"])
def test_what_is_no_arn_is_refused(sqs, dead, arn):
    assert error_of(sqs.start_message_move_task, SourceArn=arn) == not_an_arn("SourceArn")
    refusal = error_of(sqs.start_message_move_task, SourceArn=dead, DestinationArn=arn)
    assert refusal == not_an_arn("DestinationArn")


def test_source_and_destination_are_two_queues(sqs, dead):
    refusal = error_of(sqs.start_message_move_task, SourceArn=dead, DestinationArn=dead)
    assert refusal == invalid(SAME)


@pytest.mark.parametrize("fifo", [True, False])
def test_source_and_destination_are_of_one_type(sqs, with_dead_letters, make_queue, arn_of, fifo):
    _, dead = with_dead_letters(fifo=fifo)
    members = {"SourceArn": arn_of(dead), "DestinationArn": arn_of(make_queue(fifo=not fifo))}
    assert error_of(sqs.start_message_move_task, **members) == invalid(OTHER_TYPE)


@pytest.mark.parametrize("rate", [0, -1, 501])
def test_a_rate_is_from_1_to_500(sqs, dead, rate):
    members = {"SourceArn": dead, "MaxNumberOfMessagesPerSecond": rate}
    assert error_of(sqs.start_message_move_task, **members) == invalid(BAD_RATE)


@pytest.mark.parametrize("rate", [1, 500])
def test_rates_that_are_taken(sqs, dead, rate):
    members = {"SourceArn": dead, "MaxNumberOfMessagesPerSecond": rate}
    assert content(sqs.start_message_move_task(**members)).keys() == {"TaskHandle"}


def test_a_source_has_one_active_task(sqs, running, arn_of):
    arn = arn_of(running()[0])
    assert error_of(sqs.start_message_move_task, SourceArn=arn) == invalid(RUNNING)
    assert len(entries(sqs, arn, MaxResults=10)) == 1


def test_after_a_task_has_ended_another_may_start(sqs, running, clock, arn_of):
    source, _ = running()
    clock.advance(seconds=5)
    assert ended(sqs, source)["Status"] == "COMPLETED"
    start(sqs, source)
    assert len(entries(sqs, arn_of(source), MaxResults=10)) == 2


def test_after_a_task_was_cancelled_another_may_start(sqs, running, arn_of):
    source, handle = running()
    sqs.cancel_message_move_task(TaskHandle=handle)
    assert ended(sqs, source)["Status"] == "CANCELLED"
    start(sqs, source)
    assert len(entries(sqs, arn_of(source), MaxResults=10)) == 2


def test_tasks_of_several_sources_run_side_by_side(sqs, running, arn_of):
    arns = [arn_of(running()[0]) for _ in range(3)]
    assert [entries(sqs, arn)[0]["Status"] for arn in arns] == ["RUNNING"] * 3


def test_a_handle_is_the_base64_of_a_json_object(running, arn_of):
    source, handle = running()
    members = json.loads(base64.b64decode(handle))
    assert (members.keys(), members["sourceArn"]) == ({"taskId", "sourceArn"}, arn_of(source))


def chain_of_queues(sqs, count):
    """The ARNs of queues with two messages each, every one the dead-letter queue of the next."""
    arns = []
    for number in range(count):
        policy = {"RedrivePolicy": policy_to(arns[-1])} if arns else {}
        queue = sqs.create_queue(QueueName=f"chain-{number}", Attributes=policy)["QueueUrl"]
        sqs.send_message_batch(QueueUrl=queue, Entries=batch("a", "b"))
        arns.append(queue_attributes(sqs, queue, "QueueArn")["QueueArn"])
    return arns


def test_an_account_has_100_active_tasks_at_most(server, protocol):
    account = {"json": "111111111111", "query": "222222222222"}[protocol]
    sqs = client_of(protocol, server.url, account)
    *arns, one_more, destination = chain_of_queues(sqs, 102)
    slowly = {"DestinationArn": destination, "MaxNumberOfMessagesPerSecond": 1}
    for arn in arns:
        sqs.start_message_move_task(SourceArn=arn, **slowly)
    assert error_of(sqs.start_message_move_task, SourceArn=one_more, **slowly).status in {400, 403}


# CancelMessageMoveTask


@pytest.mark.parametrize("handle", ["garbage", "é", "e30=", base64.b64encode(b"[]").decode()])
def test_what_is_no_handle_of_a_task_is_refused(sqs, handle):
    refusal = error_of(sqs.cancel_message_move_task, TaskHandle=handle)
    assert refusal == invalid("Value for parameter TaskHandle is invalid.")


def test_a_handle_that_names_an_unknown_source_is_refused(sqs):
    handle = handle_of("6b1f0d3e-8a4c-4d0e-9f58-2f0b6f1c7a11", f"{ACCOUNT}:no-such-queue")
    assert error_of(sqs.cancel_message_move_task, TaskHandle=handle) == no_such("SourceArn")


def test_a_handle_that_names_an_unknown_task_is_refused(sqs, dead):
    handle = handle_of("6b1f0d3e-8a4c-4d0e-9f58-2f0b6f1c7a11", dead)
    assert error_of(sqs.cancel_message_move_task, TaskHandle=handle) == NO_TASK


def test_a_handle_that_names_the_task_of_another_source_is_refused(sqs, running, dead, arn_of):
    source, handle = running()
    task_id = json.loads(base64.b64decode(handle))["taskId"]
    assert error_of(sqs.cancel_message_move_task, TaskHandle=handle_of(task_id, dead)) == NO_TASK
    assert entries(sqs, arn_of(source))[0]["Status"] == "RUNNING"


def test_a_task_that_has_ended_cannot_be_cancelled(sqs, running, clock):
    source, handle = running()
    clock.advance(seconds=5)
    ended(sqs, source)
    assert error_of(sqs.cancel_message_move_task, TaskHandle=handle) == NO_TASK


def test_a_task_cannot_be_cancelled_twice(sqs, running):
    _, handle = running()
    sqs.cancel_message_move_task(TaskHandle=handle)
    assert error_of(sqs.cancel_message_move_task, TaskHandle=handle) == NO_TASK


def test_cancelling_tells_how_many_messages_were_moved(sqs, running, clock):
    source, handle = running()
    clock.advance(seconds=1)
    until_moved(sqs, source, 2)
    answer = sqs.cancel_message_move_task(TaskHandle=handle)
    assert content(answer) == {"ApproximateNumberOfMessagesMoved": 2}


# ListMessageMoveTasks


def test_the_tasks_of_an_unknown_source_cannot_be_listed(sqs):
    arn = f"{ACCOUNT}:no-such-queue"
    assert error_of(sqs.list_message_move_tasks, SourceArn=arn) == no_such("SourceArn")


def test_without_tasks_there_are_no_results(sqs, dead):
    assert content(sqs.list_message_move_tasks(SourceArn=dead)) == {}


@pytest.mark.parametrize("count", [-1, 11])
def test_at_most_ten_tasks_are_listed(sqs, dead, count):
    refusal = error_of(sqs.list_message_move_tasks, SourceArn=dead, MaxResults=count)
    assert refusal[:2] == (400, "InvalidParameterValue")


@pytest.fixture
def twelve(sqs, with_dead_letters, arn_of, clock):
    """The ARN of a source and the start times of its twelve tasks, newest first."""
    source, started = with_dead_letters()[1], []
    for _ in range(12):
        clock.advance(seconds=1)
        started.insert(0, clock.now_ms())
        start(sqs, source)
        ended(sqs, source)
    return arn_of(source), started


def listed(sqs, arn, **members):
    return [entry["StartedTimestamp"] for entry in entries(sqs, arn, **members)]


def test_the_newest_tasks_are_listed_first(sqs, twelve):
    arn, started = twelve
    assert listed(sqs, arn, MaxResults=3) == started[:3]


def test_one_task_is_listed_by_default(sqs, twelve):
    arn, started = twelve
    assert listed(sqs, arn) == started[:1]


def test_the_last_ten_tasks_are_kept(sqs, twelve):
    arn, started = twelve
    assert listed(sqs, arn, MaxResults=10) == started[:10]


# Missing members: no client's own check stands before the server's


@pytest.fixture
def unchecked(protocol, sqs, server):
    if protocol == "query":
        return sqs
    config = Config(parameter_validation=False, retries={"total_max_attempts": 1})
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "secret"}
    return boto3.client("sqs", endpoint_url=server.url, region_name="us-east-1", config=config, **keys)


@pytest.mark.parametrize("operation", ["start_message_move_task", "list_message_move_tasks"])
def test_a_source_is_needed(unchecked, operation):
    assert error_of(getattr(unchecked, operation)) == missing("SourceArn")


def test_a_task_handle_is_needed(unchecked):
    assert error_of(unchecked.cancel_message_move_task) == missing("TaskHandle")
