"""The day's work in the aws command line interface. Short, as each command starts a process of its own."""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import boto3
from cli import BIN, REGION, Cli, cli_for, finished
from steps import between, by_id, equal, fresh_name, holds, matches, md5, md5_of_attributes, run_steps

README = Path(__file__).resolve().parents[2] / "README.md"
# The block of README.md that says that it is run here, and the address in it.
README_BLOCK = re.compile(r"^<!-- run by compat/aws_cli -->\n```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
README_ADDRESS = "127.0.0.1:9324"
NO_QUEUE = "AWS.SimpleQueueService.NonExistentQueue"
ATTRIBUTES = {
    "color": {"DataType": "String", "StringValue": "blau <&> größer"},
    "count": {"DataType": "Number.int", "StringValue": "3"},
}
# Version 1 of the CLI sends the characters of a binary value as its bytes, and prints such bytes as base64.
BLOB_GIVEN = {"blob": {"DataType": "Binary", "BinaryValue": "AQID"}}
BLOB_SENT = {"blob": {"DataType": "Binary", "BinaryValue": b"AQID"}}
BLOB_PRINTED = {"blob": {"DataType": "Binary", "BinaryValue": "QVFJRA=="}}
BODY = 'Grüße 😀 <a b="c">&amp;</a>\r\n'


def readme(aws: Cli) -> None:
    """The commands in README.md do what it says, one after the other, as in a shell of the reader's."""
    blocks = README_BLOCK.findall(README.read_text(encoding="utf-8"))
    equal(len(blocks), 1, "number of blocks in README.md that are run here")
    holds(README_ADDRESS in blocks[0], f"{README_ADDRESS} in {blocks[0]}")
    script = blocks[0].replace(README_ADDRESS, aws.endpoint.removeprefix("http://"))
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euc", script], env=env, capture_output=True, text=True, timeout=150)
    equal((done.returncode, done.stderr), (0, ""), f"exit code and complaints after {done.stdout!r}")
    holds('"ApproximateNumberOfMessages": "0"' in done.stdout, f"an empty queue in {done.stdout!r}")


def queue_and_attributes(aws: Cli) -> None:
    name = fresh_name("cli-orders")
    attributes = ("--attributes", "VisibilityTimeout=45,DelaySeconds=5")
    answer = aws.says("create-queue", "--queue-name", name, *attributes)
    url = answer["QueueUrl"]
    equal(answer, {"QueueUrl": url}, "answer")
    matches(url, rf"{aws.endpoint}/\d{{12}}/{name}", "queue URL")
    text = "A queue already exists with the same name and a different value for attribute DelaySeconds"
    other = ("--queue-name", name, "--attributes", "DelaySeconds=6")
    aws.refuses("QueueAlreadyExists", text, "create-queue", *other)
    changed = ("--queue-url", url, "--attributes", "DelaySeconds=7")
    equal(aws.says("set-queue-attributes", *changed), None, "output")
    asked = ("--attribute-names", "QueueArn", "DelaySeconds", "VisibilityTimeout", "Policy")
    arn = f"arn:aws:sqs:{REGION}:{url.split('/')[-2]}:{name}"
    expected = {"QueueArn": arn, "DelaySeconds": "7", "VisibilityTimeout": "45"}
    found = aws.says("get-queue-attributes", "--queue-url", url, *asked)
    equal(found, {"Attributes": expected}, "attributes")


def list_queues(aws: Cli) -> None:
    prefix = fresh_name("cli-listed")
    urls = [aws.client.create_queue(QueueName=f"{prefix}-{n}")["QueueUrl"] for n in range(2)]
    paged = aws.says("list-queues", "--queue-name-prefix", prefix, "--page-size", "1")
    equal(paged, {"QueueUrls": urls}, "queues fetched in pages")
    equal(aws.says("list-queues", "--queue-name-prefix", f"{prefix}-none"), None, "output without queues")


def messages(aws: Cli) -> None:
    url = aws.queue()
    given = json.dumps(ATTRIBUTES | BLOB_GIVEN)
    sent = aws.says("send-message", "--queue-url", url, "--message-body", BODY, "--message-attributes", given)
    equal(sorted(sent), ["MD5OfMessageAttributes", "MD5OfMessageBody", "MessageId"], "members")
    digest = md5_of_attributes(ATTRIBUTES | BLOB_SENT)
    equal((sent["MD5OfMessageBody"], sent["MD5OfMessageAttributes"]), (md5(BODY), digest), "digests")
    everything = ("--attribute-names", "All", "--message-attribute-names", "All")
    (message,) = aws.says("receive-message", "--queue-url", url, *everything)["Messages"]
    handle, system = message.pop("ReceiptHandle"), message.pop("Attributes")
    expected = {"MessageId": sent["MessageId"], "Body": BODY, "MD5OfBody": md5(BODY)}
    expected |= {"MessageAttributes": ATTRIBUTES | BLOB_PRINTED, "MD5OfMessageAttributes": digest}
    equal(message, expected, "message")
    names = ["ApproximateFirstReceiveTimestamp", "ApproximateReceiveCount", "SenderId", "SentTimestamp"]
    equal((sorted(system), system["ApproximateReceiveCount"]), (names, "1"), "system attributes")
    named = ("--queue-url", url, "--receipt-handle", handle)
    equal(aws.says("change-message-visibility", *named, "--visibility-timeout", "0"), None, "output")
    equal(len(aws.receive(url)), 1, "messages after the change")
    equal(aws.says("delete-message", *named), None, "output")


def batches(aws: Cli) -> None:
    url = aws.queue(MaximumMessageSize="1024")
    entries = [{"Id": "a", "MessageBody": "a"}, {"Id": "b", "MessageBody": "b", "DelaySeconds": 0}]
    entries.append({"Id": "long", "MessageBody": "x" * 1025})
    answer = aws.says("send-message-batch", "--queue-url", url, "--entries", json.dumps(entries))
    equal(sorted(answer), ["Failed", "Successful"], "members")
    digests = {key: entry["MD5OfMessageBody"] for key, entry in by_id(answer["Successful"]).items()}
    equal(digests, {"a": md5("a"), "b": md5("b")}, "digests")
    text = "One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes."
    failed = {"Id": "long", "SenderFault": True, "Code": "InvalidParameterValue", "Message": text}
    equal(answer["Failed"], [failed], "failed entries")
    received = aws.receive(url)
    equal(sorted(message["Body"] for message in received), ["a", "b"], "bodies")
    entries = [{"Id": m["Body"], "ReceiptHandle": m["ReceiptHandle"]} for m in received]
    succeeded = {"Successful": [{"Id": entry["Id"]} for entry in entries]}
    free = json.dumps([entry | {"VisibilityTimeout": 0} for entry in entries])
    equal(
        aws.says("change-message-visibility-batch", "--queue-url", url, "--entries", free),
        succeeded,
        "answer",
    )
    gone = json.dumps(entries)
    equal(aws.says("delete-message-batch", "--queue-url", url, "--entries", gone), succeeded, "answer")


def long_poll_woken_by_a_send(aws: Cli) -> None:
    """The bound is generous, as it includes starting and ending a command, yet below the time of the poll."""
    url = aws.queue()
    poll = aws.start("receive-message", "--queue-url", url, "--wait-time-seconds", "20")
    time.sleep(2)
    holds(poll.poll() is None, "the poll ended before there was a message")
    started = time.monotonic()
    aws.send(url, "wake up")
    answer = finished(poll)
    between(time.monotonic() - started, 0, 18, "seconds until the poll ended")
    equal([message["Body"] for message in answer["Messages"]], ["wake up"], "bodies")


def redrive(aws: Cli) -> None:
    dead = aws.queue()
    account, name = dead.split("/")[-2:]
    arn = f"arn:aws:sqs:{REGION}:{account}:{name}"
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": "1"})
    url = aws.queue(RedrivePolicy=policy, VisibilityTimeout="0")
    sources = aws.says("list-dead-letter-source-queues", "--queue-url", dead)
    equal(sources, {"queueUrls": [url]}, "source queues")
    aws.send(url, "doomed")
    equal([message["Body"] for message in aws.receive(url)], ["doomed"], "bodies of the first receive")
    equal(aws.receive(url), [], "messages of the second receive")
    (moved,) = aws.receive(dead)
    equal((moved["Body"], moved["Attributes"]["ApproximateReceiveCount"]), ("doomed", "2"), "moved message")
    source = arn.rsplit(":", 1)[0] + ":" + url.rsplit("/", 1)[-1]
    equal(moved["Attributes"]["DeadLetterQueueSourceArn"], source, "DeadLetterQueueSourceArn")


def tags(aws: Cli) -> None:
    url = aws.queue()
    equal(aws.says("tag-queue", "--queue-url", url, "--tags", "team=core,env=größer"), None, "output")
    aws.client.untag_queue(QueueUrl=url, TagKeys=["team", "none"])
    equal(aws.says("list-queue-tags", "--queue-url", url), {"Tags": {"env": "größer"}}, "tags left")


def purge_and_delete(aws: Cli) -> None:
    url = aws.queue()
    name = url.rsplit("/", 1)[-1]
    equal(aws.says("purge-queue", "--queue-url", url), None, "output")
    text = f"Only one PurgeQueue operation on {name} is allowed every 60 seconds."
    aws.refuses("AWS.SimpleQueueService.PurgeQueueInProgress", text, "purge-queue", "--queue-url", url)
    equal(aws.says("delete-queue", "--queue-url", url), None, "output")
    text = "The specified queue does not exist."
    aws.refuses(NO_QUEUE, text, "send-message", "--queue-url", url, "--message-body", "x")


def refusals(aws: Cli) -> None:
    url = aws.queue()
    queue = ("--queue-url", url)
    text = 'The input receipt handle "bad" is not a valid receipt handle.'
    aws.refuses("ReceiptHandleIsInvalid", text, "delete-message", *queue, "--receipt-handle", "bad")
    text = "Maximum number of entries per request are 10. You have sent 11."
    entries = json.dumps([{"Id": f"n{n}", "MessageBody": "x"} for n in range(11)])
    code = "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"
    aws.refuses(code, text, "send-message-batch", *queue, "--entries", entries)


def metrics_and_alarms(aws: Cli) -> None:
    """The same figures as boto3 reads, which speaks another protocol."""
    url = aws.queue()
    name = url.rsplit("/", 1)[1]
    aws.send(url, "12345", "123")
    cli = replace(aws, service="cloudwatch")
    boto = boto3.client("cloudwatch", endpoint_url=aws.endpoint, region_name=REGION)
    metric = ("--namespace", "AWS/SQS", "--metric-name", "SentMessageSize")
    queue = ("--dimensions", f"Name=QueueName,Value={name}")
    listed = cli.says("list-metrics", *metric, *queue)
    dimensions = [{"Name": "QueueName", "Value": name}]
    equal(listed["Metrics"][0]["Dimensions"], dimensions, "dimensions")
    now = datetime.now(UTC)
    start, end = (now - timedelta(hours=1)).isoformat(), (now + timedelta(minutes=1)).isoformat()
    when = ("--start-time", start, "--end-time", end, "--period", "7200", "--statistics", "Sum", "Average")
    (point,) = cli.says("get-metric-statistics", *metric, *queue, *when)["Datapoints"]
    equal((point["Sum"], point["Average"], point["Unit"]), (8.0, 4.0, "Bytes"), "size of what was sent")
    asked = {"Namespace": "AWS/SQS", "MetricName": "SentMessageSize", "Dimensions": dimensions}
    period = {"StartTime": start, "EndTime": end, "Period": 7200, "Statistics": ["Sum", "Average"]}
    (other,) = boto.get_metric_statistics(**asked, **period)["Datapoints"]
    equal((other["Sum"], other["Average"]), (point["Sum"], point["Average"]), "the figures of boto3")
    when = ("--comparison-operator", "GreaterThanThreshold", "--threshold", "2.5", "--period", "60")
    alarm = fresh_name("cli-alarm")
    given = ("--alarm-name", alarm, *metric, *queue, "--statistic", "Sum", "--evaluation-periods", "2", *when)
    equal(cli.says("put-metric-alarm", *given), None, "output")
    set_to = ("--state-value", "ALARM", "--state-reason", "a day's work")
    equal(cli.says("set-alarm-state", "--alarm-name", alarm, *set_to), None, "output")
    (found,) = cli.says("describe-alarms", "--alarm-names", alarm)["MetricAlarms"]
    equal((found["StateValue"], found["StateReason"]), ("ALARM", "a day's work"), "state")
    equal((found["Threshold"], found["Dimensions"]), (2.5, dimensions), "alarm")
    cli.refuses("ResourceNotFound", "", "set-alarm-state", "--alarm-name", "none", *set_to)
    equal(cli.says("delete-alarms", "--alarm-names", alarm), None, "output")


STEPS = (
    readme,
    queue_and_attributes,
    list_queues,
    messages,
    batches,
    long_poll_woken_by_a_send,
    redrive,
    tags,
    purge_and_delete,
    refusals,
    metrics_and_alarms,
)

if __name__ == "__main__":
    sys.exit(run_steps("aws_cli", STEPS, cli_for(os.environ["SQS_ENDPOINT"]), workers=3))
