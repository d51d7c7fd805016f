"""What suites written for LocalStack and for moto ask their server, so that they move over unchanged."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from emulator.web.kit import localstack
from emulator.web.kit.calls import Call, Visit
from emulator.web.kit.state import Reset, reset

XML_TYPE = "text/xml"
Switch = Annotated[str, Meta(description="`true` or `1` for yes.")]


class Shown(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    show_invisible: Switch = "false"
    show_delayed: Switch = "false"


class ByUrl(Shown, frozen=True, kw_only=True, rename="pascal"):
    queue_url: str


class ByPath(Shown, frozen=True, kw_only=True, rename="pascal"):
    region: str = msgspec.field(name="region")
    account: str = msgspec.field(name="account")
    name: str = msgspec.field(name="name")


class MotoStatus(msgspec.Struct, frozen=True, kw_only=True):
    status: Literal["ok"] = "ok"


async def list_messages(visit: Visit) -> Response:
    return await localstack.list_messages(visit.parts, visit.request)


async def reset_all(visit: Visit) -> MotoStatus:
    await reset(visit, Reset())
    return MotoStatus()


LOCALSTACK = (
    "LocalStack's developer endpoint: messages in the shape of ReceiveMessage, as XML or as Accept says"
)
CALLS = (
    *(
        Call(
            method=method,
            path=path,
            run=list_messages,
            parameters=parameters,
            reads_itself=True,
            answers=bytes,
            media_type=XML_TYPE,
            summary=LOCALSTACK,
        )
        for method, path, parameters in (
            ("GET", localstack.PATH, ByUrl),
            ("POST", localstack.PATH, ByUrl),
            ("GET", localstack.PATH + "/{region}/{account}/{name}", ByPath),
        )
    ),
    Call(
        method="POST",
        path="/moto-api/reset",
        run=reset_all,
        answers=MotoStatus,
        summary="moto's reset: everything",
    ),
)
