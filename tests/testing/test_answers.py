"""The client has structs of its own, so that it needs nothing of the server: they must not drift apart."""

import pytest

from emulator.journal import events
from emulator.testing import answers
from emulator.web.kit import clock, faults, queues


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (answers.ClockReading, clock.ClockState),
        (answers.QueueInfo, queues.QueueView),
        (answers.PeekedMessage, queues.MessageView),
        (answers.Event, events.Event),
        (answers.Details, events.Details),
        (answers.Caller, events.Caller),
        (answers.MessageHistory, events.MessageHistory),
        (answers.Fault, faults.FaultView),
    ],
)
def test_the_client_knows_every_member_of_an_answer(ours, theirs):
    assert ours.__struct_encode_fields__ == theirs.__struct_encode_fields__
