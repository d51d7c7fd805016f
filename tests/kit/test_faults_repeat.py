"""The same seed and the same calls: the same ids, times and faults, to the last byte."""

import asyncio

import msgspec
import pytest

from emulator.app import open_emulator
from emulator.journal import Filter
from emulator.settings import Settings
from emulator.signals import ClientGone
from emulator.wire.messages import WireRequest
from tests.support.clocks import frozen_clock

A, B = "111111111111", "222222222222"


class Client:
    """One account's client, which repeats what failed once, as an SDK does. `answers`: all that it got."""

    def __init__(self, emulator, account):
        self.emulator = emulator
        self.account = account
        self.answers = []

    async def call(self, action, **members):
        request = WireRequest(
            method="POST",
            path="/",
            query="",
            headers={
                "host": "localhost",
                "x-amz-target": f"AmazonSQS.{action}",
                "content-type": "application/x-amz-json-1.0",
                "authorization": f"Credential={self.account}/20260101/us-east-1/sqs/aws4_request",
            },
            body=msgspec.json.encode(members),
        )
        for _ in range(2):
            answer = await self.emulator.endpoint.handle(request, ClientGone())
            self.answers.append((answer.status, answer.body, answer.request_id, answer.cut))
            if answer.status == 200:
                return msgspec.json.decode(answer.body or b"{}")
        return {}

    async def work(self, rounds):
        """Sends, receives, deletes, asks and lets time go by."""
        queue = "orders"
        await self.call("CreateQueue", QueueName=queue)
        for number in range(rounds):
            entries = [{"Id": f"{one}", "MessageBody": f"{number}-{one}"} for one in range(5)]
            await self.call("SendMessageBatch", QueueUrl=queue, Entries=entries)
            await self.call("SendMessage", QueueUrl=queue, MessageBody=f"{number}")
            received = await self.call("ReceiveMessage", QueueUrl=queue, MaxNumberOfMessages=4)
            for message in received.get("Messages", ()):
                await self.call("DeleteMessage", QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
            await self.call("GetQueueAttributes", QueueUrl=queue, AttributeNames=["All"])
            await self.call("ListQueues")
            self.emulator.worlds.of(self.account).clock.advance(seconds=1)

    def history(self):
        return msgspec.json.encode(self.emulator.journal.query(Filter(account=self.account), limit=100_000))


def run(test, **settings):
    async def opened():
        emulator = await open_emulator(Settings(**settings), clock=frozen_clock())
        try:
            return await test(emulator)
        finally:
            await emulator.close()

    return asyncio.run(opened())


@pytest.mark.parametrize("profile", ["aws", "hostile"])
def test_two_runs_with_a_profile_and_the_same_seed_are_the_same_to_the_last_byte(profile):
    async def test(emulator):
        client = Client(emulator, A)
        await client.work(40)
        return client.answers, client.history()

    first = run(test, faults_profile=profile, seed=5)
    assert first == run(test, faults_profile=profile, seed=5)
    assert first != run(test, faults_profile=profile, seed=6)
    assert b'"fault"' in first[1]


def test_a_run_can_be_repeated_on_one_server_by_setting_the_seed_again():
    async def test(emulator):
        bodies = []
        for _ in range(2):
            client = Client(emulator, A)
            world = emulator.worlds.of(A)
            emulator.worlds.reseed(world, 9)
            await emulator.engine.reset(account=A)
            await client.work(20)
            bodies.append([(status, cut) for status, _, _, cut in client.answers])
        return bodies

    first, second = run(test, faults_profile="hostile")
    assert first == second
    assert len(set(first)) > 1


def test_what_another_account_does_meanwhile_changes_nothing_for_one_with_a_seed_of_its_own():
    async def test(emulator):
        clients = [Client(emulator, A)] + ([Client(emulator, B)] if with_other else [])
        for client in clients:
            world = emulator.worlds.of(client.account)
            world.clock.freeze()
            emulator.worlds.reseed(world, 9)
        await asyncio.gather(*(client.work(20) for client in clients))
        return [(status, cut) for status, _, _, cut in clients[0].answers], fault_names(clients[0])

    with_other = False
    alone = run(test, faults_profile="hostile")
    with_other = True
    assert run(test, faults_profile="hostile") == alone


def fault_names(client):
    return [event["details"].get("fault") for event in msgspec.json.decode(client.history())]
