import msgspec

from emulator.context import Context
from emulator.domain.limits import MAX_ACTIVE_MOVE_TASKS, MAX_MOVES_PER_SECOND
from emulator.domain.model import MoveTask, Queue, Started, key_of_arn
from emulator.domain.move_tasks import task_handle
from emulator.errors import InvalidParameterValue, MissingParameter, OverLimit, ResourceNotFoundException
from emulator.operations.lookup import find_queue_by_arn


class StartMessageMoveTaskRequest(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    source_arn: str | None = None
    destination_arn: str | None = None
    max_number_of_messages_per_second: int | None = None


class StartMessageMoveTaskResponse(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    task_handle: str


async def start_message_move_task(
    ctx: Context, request: StartMessageMoveTaskRequest
) -> StartMessageMoveTaskResponse:
    if not request.source_arn:
        raise MissingParameter("SourceArn")
    source = await require_queue_of_arn(ctx, "SourceArn", request.source_arn)
    await _require_dead_letter_queue(ctx, source)
    if request.destination_arn is not None:
        destination = await require_queue_of_arn(ctx, "DestinationArn", request.destination_arn)
        _require_fitting(source, destination)
    rate = request.max_number_of_messages_per_second
    if rate is not None and not 1 <= rate <= MAX_MOVES_PER_SECOND:
        raise InvalidParameterValue(
            "Value for parameter MaxNumberOfMessagesPerSecond is invalid. "
            "Reason: You must enter a number that's between 1 and 500."
        )
    now_ms = ctx.clock.now_ms()
    task = MoveTask(
        task_id=ctx.ids.uuid(),
        source_arn=source.arn,
        destination_arn=request.destination_arn,
        max_per_second=rate,
        started_ms=now_ms,
    )
    started = await ctx.engine.start_move_task(task, now_ms=now_ms)
    if started is Started.TOO_MANY:
        raise OverLimit(f"Maximum number of active message move tasks is {MAX_ACTIVE_MOVE_TASKS}.")
    if started is Started.ALREADY_RUNNING:
        raise InvalidParameterValue(
            "There is already a task running. "
            "Only one active task is allowed for a source queue arn at a given time."
        )
    ctx.mover.drive(task)
    return StartMessageMoveTaskResponse(task_handle=task_handle(task))


async def require_queue_of_arn(ctx: Context, parameter: str, arn: str) -> Queue:
    if key_of_arn(arn) is None:
        raise InvalidParameterValue(
            f"You must use this format to specify the {parameter}: "
            "arn:<partition>:<service>:<region>:<account-id>:<resource-id>"
        )
    queue = await find_queue_by_arn(ctx, arn)
    if queue is None:
        raise ResourceNotFoundException(
            f"The resource that you specified for the {parameter} parameter doesn't exist."
        )
    return queue


async def _require_dead_letter_queue(ctx: Context, queue: Queue) -> None:
    if not await ctx.engine.dead_letter_sources(queue.arn, after="", limit=1):
        raise InvalidParameterValue("Source queue must be configured as a Dead Letter Queue.")


def _require_fitting(source: Queue, destination: Queue) -> None:
    if source.id == destination.id:
        raise InvalidParameterValue("Source queue arn and destination queue arn cannot be the same.")
    if source.is_fifo != destination.is_fifo:
        raise InvalidParameterValue("The source queue and destination queue must be of the same queue type.")
