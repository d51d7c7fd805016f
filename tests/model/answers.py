"""From the emulator's answers to values that can be compared."""

from typing import Any

from emulator.errors import SqsError
from tests.model import checks
from tests.model.checks import Delivered
from tests.model.reference import Refused


def delivered(message: Any) -> Delivered:
    number = int(message.message_attributes["number"].string_value)
    return Delivered(number, message.message_id, message.body, message.receipt_handle, message.attributes)


def check_error(answer: Any, refusal: Refused | None, what: str) -> None:
    error = answer if isinstance(answer, SqsError) else None
    checks.an_answer_is_as_expected(
        refusal, None if error is None else (type(error).__name__, error.message), what
    )


def check_entries(answer: Any, refusals: list[Refused | None], what: str) -> None:
    failed = {one.id: (one.code, one.message) for one in answer.failed or ()}
    for number, refusal in enumerate(refusals):
        checks.an_answer_is_as_expected(refusal, failed.get(str(number)), f"{what}, entry {number},")


def task_entry(answer: Any) -> Any:
    if isinstance(answer, SqsError) or not answer.results:
        return answer
    entry = answer.results[0]
    return (
        entry.status,
        entry.approximate_number_of_messages_moved,
        entry.approximate_number_of_messages_to_move,
        entry.failure_reason,
    )
