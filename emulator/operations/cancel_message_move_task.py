import msgspec

from emulator.context import Context
from emulator.domain.move_tasks import task_of_handle
from emulator.errors import MissingParameter, ResourceNotFoundException
from emulator.operations.start_message_move_task import require_queue_of_arn


class CancelMessageMoveTaskRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    task_handle: str | None = None


class CancelMessageMoveTaskResponse(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    approximate_number_of_messages_moved: int


async def cancel_message_move_task(
    ctx: Context, request: CancelMessageMoveTaskRequest
) -> CancelMessageMoveTaskResponse:
    if not request.task_handle:
        raise MissingParameter("TaskHandle")
    reference = task_of_handle(request.task_handle)
    source = await require_queue_of_arn(ctx, "SourceArn", reference.source_arn)
    task = await ctx.engine.cancel_move_task(reference.task_id, source.arn)
    if task is None:
        raise ResourceNotFoundException("Task does not exist.")
    ctx.mover.drive(task)  # its next step is to be cancelled
    return CancelMessageMoveTaskResponse(approximate_number_of_messages_moved=task.moved)
