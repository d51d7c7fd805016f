"""The figures of the server for Prometheus."""

from starlette.responses import Response

from emulator.web.kit.calls import Call, Visit


async def metrics(visit: Visit) -> Response:
    from emulator.web.metrics import page  # prometheus_client is needed for nothing else

    return await page(visit)


CALLS = (
    Call(
        method="GET",
        path="/metrics",
        run=metrics,
        reads_itself=True,
        answers=bytes,
        media_type="text/plain",
        summary="Queues, requests, engine and process in Prometheus's text format",
    ),
)
