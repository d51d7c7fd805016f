"""Queues: making, finding, describing, tagging, emptying and deleting them."""

import json
import time

from steps import between, equal, fresh_name, holds, matches, members

from botocore_day.world import REGION, Sqs, name_of, refused

DEFAULTS = {
    "ApproximateNumberOfMessages": "0",
    "ApproximateNumberOfMessagesDelayed": "0",
    "ApproximateNumberOfMessagesNotVisible": "0",
    "DelaySeconds": "0",
    "MaximumMessageSize": "1048576",
    "MessageRetentionPeriod": "345600",
    "ReceiveMessageWaitTimeSeconds": "0",
    "SqsManagedSseEnabled": "true",
    "VisibilityTimeout": "30",
}


def create_queue(sqs: Sqs) -> None:
    name = fresh_name("orders")
    given = {"VisibilityTimeout": "45", "DelaySeconds": "5", "MessageRetentionPeriod": "600"}
    tags = {"team": "core", "env": ""}
    answer = sqs.client.create_queue(QueueName=name, Attributes=given, tags=tags)
    members(answer, "QueueUrl")
    matches(answer["QueueUrl"], rf"{sqs.endpoint}/\d{{12}}/{name}", "queue URL")
    found = sqs.attributes(answer["QueueUrl"])
    account = answer["QueueUrl"].split("/")[-2]
    equal(found.pop("QueueArn"), f"arn:aws:sqs:{REGION}:{account}:{name}", "QueueArn")
    for timestamp in (found.pop("CreatedTimestamp"), found.pop("LastModifiedTimestamp")):
        matches(timestamp, r"\d{10}", "timestamp in whole seconds")
        between(int(timestamp), time.time() - 10, time.time() + 10, "timestamp")
    equal(found, DEFAULTS | given, "attributes")
    equal(sqs.client.list_queue_tags(QueueUrl=answer["QueueUrl"])["Tags"], tags, "tags")


def create_queue_again(sqs: Sqs) -> None:
    name, create = fresh_name("again"), sqs.client.create_queue
    url = create(QueueName=name, Attributes={"VisibilityTimeout": "45"})["QueueUrl"]
    equal(create(QueueName=name)["QueueUrl"], url, "URL when asked without attributes")
    equal(
        create(QueueName=name, Attributes={"VisibilityTimeout": "45"})["QueueUrl"],
        url,
        "URL when asked alike",
    )
    sqs.client.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "50"})
    equal(
        create(QueueName=name, Attributes={"VisibilityTimeout": "50"})["QueueUrl"],
        url,
        "URL by the new value",
    )
    text = "A queue already exists with the same name and a different value for attribute VisibilityTimeout"
    old = {"VisibilityTimeout": "45"}
    refused(create, "QueueAlreadyExists", 400, text, QueueName=name, Attributes=old)


def list_queues_with_a_prefix(sqs: Sqs) -> None:
    prefix = fresh_name("listed")
    equal(sorted(set(sqs.client.list_queues(QueueNamePrefix=prefix)) - {"ResponseMetadata"}), [], "members")
    urls = [sqs.client.create_queue(QueueName=f"{prefix}-{n}")["QueueUrl"] for n in (2, 0, 1)]
    answer = sqs.client.list_queues(QueueNamePrefix=prefix)
    members(answer, "QueueUrls")
    equal(answer["QueueUrls"], sorted(urls), "queues in the order of their names")
    equal(
        sqs.client.list_queues(QueueNamePrefix=f"{prefix}-1")["QueueUrls"],
        urls[2:],
        "queues of the longer prefix",
    )
    holds(set(urls) <= set(sqs.client.list_queues()["QueueUrls"]), "all queues without a prefix")


def list_queues_in_pages(sqs: Sqs) -> None:
    prefix = fresh_name("paged")
    urls = [sqs.client.create_queue(QueueName=f"{prefix}-{n}")["QueueUrl"] for n in range(5)]
    first = sqs.client.list_queues(QueueNamePrefix=prefix, MaxResults=2)
    members(first, "QueueUrls", "NextToken")
    equal(first["QueueUrls"], urls[:2], "first page")
    second = sqs.client.list_queues(QueueNamePrefix=prefix, MaxResults=3, NextToken=first["NextToken"])
    members(second, "QueueUrls")
    equal(second["QueueUrls"], urls[2:], "last page")
    pages = sqs.client.get_paginator("list_queues").paginate(
        QueueNamePrefix=prefix, PaginationConfig={"PageSize": 2}
    )
    equal([page["QueueUrls"] for page in pages], [urls[:2], urls[2:4], urls[4:]], "pages of the paginator")
    bad = {"QueueNamePrefix": prefix, "MaxResults": 2, "NextToken": "nonsense"}
    refused(sqs.client.list_queues, "InvalidParameterValue", 400, None, **bad)


def get_queue_url(sqs: Sqs) -> None:
    url = sqs.queue()
    answer = sqs.client.get_queue_url(QueueName=name_of(url))
    members(answer, "QueueUrl")
    equal(answer["QueueUrl"], url, "URL")
    account = url.split("/")[-2]
    owned = sqs.client.get_queue_url(QueueName=name_of(url), QueueOwnerAWSAccountId=account)
    equal(owned["QueueUrl"], url, "URL with the owner's account")
    code = "AWS.SimpleQueueService.NonExistentQueue"
    refused(sqs.client.get_queue_url, code, 400, sqs.missing_queue_text, QueueName=fresh_name("nowhere"))


def queue_url_in_other_forms(sqs: Sqs) -> None:
    """AWS reads account and name off the path, whatever host stands before it, and takes a bare name."""
    url = sqs.queue()
    account = url.split("/")[-2]
    sqs.send(name_of(url), "by name")
    sqs.send(f"https://sqs.{REGION}.amazonaws.com/{account}/{name_of(url)}", "by another host")
    equal(sorted(m["Body"] for m in sqs.receive(url, MaxNumberOfMessages=10)), ["by another host", "by name"])


def get_queue_attributes(sqs: Sqs) -> None:
    url = sqs.queue(DelaySeconds="7")
    asked = sqs.attributes(
        url, "DelaySeconds", "VisibilityTimeout", "Policy", "RedrivePolicy", "KmsMasterKeyId"
    )
    equal(asked, {"DelaySeconds": "7", "VisibilityTimeout": "30"}, "attributes that are set")
    members(sqs.client.get_queue_attributes(QueueUrl=url))
    members(sqs.client.get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"]))
    unknown = {"QueueUrl": url, "AttributeNames": ["Foobar"]}
    refused(
        sqs.client.get_queue_attributes, "InvalidAttributeName", 400, "Unknown Attribute Foobar.", **unknown
    )


def set_queue_attributes(sqs: Sqs) -> None:
    url = sqs.queue(VisibilityTimeout="45")
    changed = {"DelaySeconds": "420", "MaximumMessageSize": "2048", "ReceiveMessageWaitTimeSeconds": "3"}
    members(sqs.client.set_queue_attributes(QueueUrl=url, Attributes=changed))
    found = sqs.attributes(url)
    equal(
        {name: found[name] for name in DEFAULTS},
        DEFAULTS | changed | {"VisibilityTimeout": "45"},
        "attributes",
    )
    policy = {"Version": "2012-10-17", "Statement": [{"Sid": "a", "Effect": "Allow", "Principal": "*"}]}
    policy["Statement"][0] |= {"Action": "sqs:SendMessage", "Resource": found["QueueArn"]}  # type: ignore[index]
    text = json.dumps(policy)
    sqs.client.set_queue_attributes(QueueUrl=url, Attributes={"Policy": text})
    equal(json.loads(sqs.attributes(url)["Policy"]), policy, "policy")
    sqs.client.set_queue_attributes(QueueUrl=url, Attributes={"Policy": ""})
    holds("Policy" not in sqs.attributes(url), "an emptied policy is gone")


def encryption_attributes(sqs: Sqs) -> None:
    """A KMS key switches SQS's own encryption off, and taking the key away does not switch it on again."""
    url = sqs.queue()
    names = ("KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds", "SqsManagedSseEnabled")
    sqs.client.set_queue_attributes(QueueUrl=url, Attributes={"KmsMasterKeyId": "alias/some"})
    equal(
        sqs.attributes(url, *names),
        dict(zip(names, ("alias/some", "300", "false"), strict=True)),
        "with a key",
    )
    sqs.client.set_queue_attributes(QueueUrl=url, Attributes={"KmsMasterKeyId": ""})
    equal(sqs.attributes(url, *names), {"SqsManagedSseEnabled": "false"}, "without the key")


def tags(sqs: Sqs) -> None:
    url = sqs.queue()
    members(sqs.client.list_queue_tags(QueueUrl=url))
    members(
        sqs.client.tag_queue(QueueUrl=url, Tags={"team": "core", "Team": "other", "env": "", "größe": "é/ü"})
    )
    sqs.client.tag_queue(QueueUrl=url, Tags={"team": "shop"})
    answer = sqs.client.list_queue_tags(QueueUrl=url)
    members(answer, "Tags")
    equal(answer["Tags"], {"team": "shop", "Team": "other", "env": "", "größe": "é/ü"}, "tags")
    members(sqs.client.untag_queue(QueueUrl=url, TagKeys=["Team", "unknown", "größe"]))
    equal(sqs.client.list_queue_tags(QueueUrl=url)["Tags"], {"team": "shop", "env": ""}, "tags left")
    sqs.client.untag_queue(QueueUrl=url, TagKeys=["team", "env"])
    members(sqs.client.list_queue_tags(QueueUrl=url))


def purge_queue(sqs: Sqs) -> None:
    url = sqs.queue()
    for delay in (0, 0, 60):
        sqs.send(url, "old", DelaySeconds=delay)
    held = sqs.one(url)
    members(sqs.client.purge_queue(QueueUrl=url))
    counts = [name for name in DEFAULTS if name.startswith("Approximate")]
    equal(sqs.attributes(url, *counts), dict.fromkeys(counts, "0"), "counts")
    sqs.client.delete_message(QueueUrl=url, ReceiptHandle=held["ReceiptHandle"])
    sqs.send(url, "new")
    equal([m["Body"] for m in sqs.receive(url, MaxNumberOfMessages=10)], ["new"], "messages after the purge")
    text = f"Only one PurgeQueue operation on {name_of(url)} is allowed every 60 seconds."
    code = "AWS.SimpleQueueService.PurgeQueueInProgress"
    refused(sqs.client.purge_queue, code, 403, text, QueueUrl=url)


def delete_queue(sqs: Sqs) -> None:
    url = sqs.queue()
    members(sqs.client.delete_queue(QueueUrl=url))
    code = "AWS.SimpleQueueService.NonExistentQueue"
    refused(sqs.client.delete_queue, code, 400, sqs.missing_queue_text, QueueUrl=url)
    equal(sqs.client.list_queues(QueueNamePrefix=name_of(url)).get("QueueUrls"), None, "queues of that name")
    text = "You must wait 60 seconds after deleting a queue before you can create another with the same name."
    recent = "AWS.SimpleQueueService.QueueDeletedRecently"
    refused(sqs.client.create_queue, recent, 400, text, QueueName=name_of(url))
