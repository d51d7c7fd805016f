"""A day in a shop: queues and messages for the pictures in the docs, and for checks of whole pages."""

import json

from tests.browser.site import ACCOUNT, REGION, Site

S3_EVENT = {
    "Records": [
        {
            "eventVersion": "2.1",
            "eventSource": "aws:s3",
            "awsRegion": "us-east-1",
            "eventTime": "2026-01-01T08:59:41.000Z",
            "eventName": "ObjectCreated:Put",
            "s3": {
                "bucket": {"name": "shop-invoices", "arn": "arn:aws:s3:::shop-invoices"},
                "object": {"key": "2026/01/invoice-1042.pdf", "size": 48213},
            },
        }
    ]
}
SNS_ENVELOPE = {
    "Type": "Notification",
    "MessageId": "2c7f1c5e-6a51-4f10-8f6b-0a2b0c1d9e77",
    "TopicArn": "arn:aws:sns:us-east-1:000000000000:stock",
    "Subject": "Stock is low",
    "Message": json.dumps({"sku": "TEA-250", "left": 4}),
    "Timestamp": "2026-01-01T08:58:03.112Z",
}
CUSTOMERS = ("Ada", "Grace", "Edsger", "Barbara", "Tony", "Radia", "Ken")


def order(number: int) -> str:
    items = [{"sku": f"TEA-{100 + number % 4 * 50}", "quantity": 1 + number % 3}]
    return json.dumps(
        {
            "order": 1000 + number,
            "customer": CUSTOMERS[number % len(CUSTOMERS)],
            "items": items,
            "total": 12.5 + number,
            "express": number % 3 == 0,
        }
    )


def open_shop(site: Site) -> str:
    """Fills a server; the id of a message that has a long life behind it."""
    site.clock.advance(seconds=9 * 3600)
    orders, _ = site.create_with_dlq("orders", max_receive_count=2)
    payments, _ = site.create_with_dlq("payments", max_receive_count=3)
    shipments, _ = _fifo_with_dlq(site, "shipments")
    mails = site.create("mails", DelaySeconds="0")
    invoices = site.create("invoices")
    stock = site.create("stock-levels", VisibilityTimeout="120")
    site.create("audit-log", MessageRetentionPeriod="1209600")
    site.create("returns")
    site.sqs.tag_queue(QueueUrl=orders, Tags={"team": "checkout", "env": "local"})
    spent = _poison(site, orders)
    for minute in range(24):
        site.send(orders, *(order(minute * 5 + number) for number in range(2 + minute % 4)))
        site.send(payments, *(order(minute) for _ in range(minute % 3)))
        _work(site, orders, 1 + minute % 5)
        _work(site, payments, minute % 3)
        site.receive(stock)
        site.clock.advance(seconds=60)
    _ship(site, shipments)
    site.send(mails, "Dear Ada,\nyour tea is on its way.", DelaySeconds=600)
    site.send(invoices, json.dumps(S3_EVENT))
    site.send(stock, json.dumps(SNS_ENVELOPE), "aGVsbG8gZnJvbSBhIHNlbnNvcg==")
    site.send(
        orders,
        order(400),
        MessageAttributes={
            "source": {"DataType": "String", "StringValue": "web-shop"},
            "attempt": {"DataType": "Number", "StringValue": "1"},
        },
    )
    site.send(orders, order(401), DelaySeconds=300)
    site.receive(orders, MaxNumberOfMessages=3, VisibilityTimeout=45)
    site.receive(payments, MaxNumberOfMessages=3)
    site.plan({"kind": "duplicate", "match": {"queue": "returns"}, "when": {"probability": 0.1}})
    site.clock.advance(seconds=7)
    return spent


def _fifo_with_dlq(site: Site, name: str) -> tuple[str, str]:
    dead = site.create(f"{name}-dlq.fifo")
    arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}-dlq.fifo"
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 5})
    attributes = {"ContentBasedDeduplication": "true", "RedrivePolicy": policy}
    return site.create(f"{name}.fifo", **attributes), dead


def _poison(site: Site, orders: str) -> str:
    """A message that its consumer fails on, until it is dead-lettered."""
    (spent,) = site.send(orders, json.dumps({"order": 999, "customer": None, "total": "NaN"}))
    for _ in range(3):
        site.receive(orders, VisibilityTimeout=20)
        site.clock.advance(seconds=25)
    return spent


def _work(site: Site, url: str, count: int) -> None:
    for message in site.receive(url, MaxNumberOfMessages=max(1, count), VisibilityTimeout=15):
        site.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])


def _ship(site: Site, url: str) -> None:
    for number in range(9):
        parcel = json.dumps({"parcel": number, "step": "packed" if number % 2 else "picked"})
        site.send(url, parcel, MessageGroupId=f"order-{1040 + number % 4}")
    site.receive(url, MaxNumberOfMessages=2)
