from typing import Annotated

import msgspec

from emulator.context import Context
from emulator.domain.limits import MAX_MOVE_TASKS_LISTED
from emulator.domain.model import MoveStatus, MoveTask
from emulator.domain.move_tasks import task_handle
from emulator.errors import InvalidParameterValue, MissingParameter
from emulator.operations.start_message_move_task import require_queue_of_arn
from emulator.wire.shapes import query_list


class ListMessageMoveTasksRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    source_arn: str | None = None
    max_results: int | None = None


class ListMessageMoveTasksResultEntry(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    task_handle: str | None = None
    status: str
    source_arn: str
    destination_arn: str | None = None
    max_number_of_messages_per_second: int | None = None
    approximate_number_of_messages_moved: int
    approximate_number_of_messages_to_move: int
    failure_reason: str | None = None
    started_timestamp: int


class ListMessageMoveTasksResponse(
    msgspec.Struct, frozen=True, kw_only=True, rename="pascal", omit_defaults=True
):
    results: Annotated[
        list[ListMessageMoveTasksResultEntry] | None, query_list("ListMessageMoveTasksResultEntry")
    ] = None


async def list_message_move_tasks(
    ctx: Context, request: ListMessageMoveTasksRequest
) -> ListMessageMoveTasksResponse:
    if not request.source_arn:
        raise MissingParameter("SourceArn")
    limit = request.max_results or 1
    if not 1 <= limit <= MAX_MOVE_TASKS_LISTED:
        raise InvalidParameterValue(
            "Value for parameter MaxResults is invalid. "
            "Reason: You must enter a number that's between 1 and 10."
        )
    source = await require_queue_of_arn(ctx, "SourceArn", request.source_arn)
    tasks = await ctx.engine.move_tasks(source.arn, limit=limit)
    return ListMessageMoveTasksResponse(results=[_entry(task) for task in tasks] or None)


def _entry(task: MoveTask) -> ListMessageMoveTasksResultEntry:
    """Which members are there depends on how the task was started and stands (recorded, R6)."""
    return ListMessageMoveTasksResultEntry(
        task_handle=task_handle(task) if task.status is MoveStatus.RUNNING else None,
        status=task.status.value,
        source_arn=task.source_arn,
        destination_arn=task.destination_arn,
        max_number_of_messages_per_second=task.max_per_second,
        approximate_number_of_messages_moved=task.moved,
        approximate_number_of_messages_to_move=task.to_move,
        failure_reason=task.failure_reason,
        started_timestamp=task.started_ms,
    )
