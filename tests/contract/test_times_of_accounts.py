"""Accounts of one server with times of their own, as their clients see it."""

import itertools

import pytest

from tests.contract.clients import client_of
from tests.support.answers import bodies, content, queue_attributes, receive, send
from tests.support.polls import long_poll

HALF_A_DAY_S = 43_200
_numbers = itertools.count(700_000_000_000)


class Account:
    def __init__(self, protocol, server):
        self.name = str(next(_numbers))
        self.sqs = client_of(protocol, server.url, account=self.name)
        self.queue = self.sqs.create_queue(QueueName="orders")["QueueUrl"]
        self._server = server

    def adjust(self, change):
        """Calls `change` with the account's clock."""
        self._server.run(self._server.emulator.adjust_clock(self.name, change))

    def advance(self, seconds):
        self.adjust(lambda clock: clock.advance(seconds=seconds))


@pytest.fixture
def accounts(protocol, server):
    """Two accounts, each with a queue."""
    made = [Account(protocol, server), Account(protocol, server)]
    yield made
    for account in made:
        server.run(server.emulator.drop_worlds(account.name))


def test_half_a_day_goes_by_for_one_account_and_not_for_another(accounts):
    for account in accounts:
        send(account.sqs, account.queue, "hello")
        receive(account.sqs, account.queue, VisibilityTimeout=HALF_A_DAY_S)
    accounts[0].advance(HALF_A_DAY_S)
    assert [bodies(receive(one.sqs, one.queue)) for one in accounts] == [["hello"], []]


def test_an_advance_ends_a_long_poll_of_its_account_only(accounts, server):
    first, second = accounts
    polls = [long_poll(server, one.sqs, one.queue) for one in accounts]
    first.advance(20)
    assert content(polls[0].answer()) == {}
    server.wait_for_waiters(second.queue)
    second.advance(20)
    assert content(polls[1].answer()) == {}


def test_an_advance_wakes_a_long_poll_when_a_delay_ends(accounts, server):
    first, second = accounts
    for account in accounts:
        send(account.sqs, account.queue, "later", DelaySeconds=900)
    polls = [long_poll(server, one.sqs, one.queue) for one in accounts]
    first.advance(900)
    assert bodies(polls[0].answer()) == ["later"]
    server.wait_for_waiters(second.queue)
    second.advance(900)
    assert bodies(polls[1].answer()) == ["later"]


def test_the_servers_clock_moves_accounts_without_a_time_of_their_own(accounts, server, clock):
    first, _ = accounts
    first.advance(0)
    polls = [long_poll(server, one.sqs, one.queue) for one in accounts]
    clock.advance(seconds=20)
    assert content(polls[1].answer()) == {}
    server.wait_for_waiters(first.queue)
    first.advance(20)
    assert content(polls[0].answer()) == {}


def test_a_long_poll_goes_on_by_the_servers_clock_when_its_account_loses_its_own(accounts, server, clock):
    first, _ = accounts
    first.advance(HALF_A_DAY_S)
    poll = long_poll(server, first.sqs, first.queue)
    server.run(server.emulator.drop_worlds(first.name))
    server.wait_for_waiters(first.queue)
    clock.advance(seconds=20)
    assert content(poll.answer()) == {}


def test_a_clock_that_is_set_shows_in_what_is_reported(accounts):
    first, _ = accounts
    first.adjust(lambda clock: clock.set(1_000_000_000_000))
    queue = first.sqs.create_queue(QueueName="later")["QueueUrl"]
    assert queue_attributes(first.sqs, queue)["CreatedTimestamp"] == "1000000000"
