"""What the console does to queues: AWS requests, made as any caller makes them."""

import re

import msgspec
from starlette.responses import Response

from emulator.signals import ClientGone
from emulator.web.console.rendering import Page
from emulator.web.kit.explaining import ACCOUNT, REGION
from emulator.web.kit.problems import Problem
from emulator.web.kit.reading import bytes_of
from emulator.wire.messages import WireRequest

USER_AGENT = "sqs-emulator-console"
_ACTION = re.compile(r"[A-Za-z]{1,64}")


async def call_aws(page: Page) -> Response:
    """The body is that of AWS JSON 1.0, and so is the answer."""
    action = page.request.path_params["action"]
    account, region = place_of(page)
    if not _ACTION.fullmatch(action):
        raise Problem(404, f"{action} is no action.")
    body = await bytes_of(page.request, page.parts.settings.max_body_bytes)
    request = WireRequest(
        method="POST",
        path="/",
        query="",
        headers={
            "host": page.base_url.partition("://")[2],
            "authorization": f"AWS4-HMAC-SHA256 Credential={account}/20260101/{region}/sqs/aws4_request",
            "content-type": "application/x-amz-json-1.0",
            "x-amz-target": f"AmazonSQS.{action}",
            "user-agent": USER_AGENT,
            "content-length": str(len(body)),
        },
        body=body,
        scheme=page.base_url.partition("://")[0],
    )
    answer = await page.parts.endpoint.handle(request, ClientGone())
    if answer.cut:
        raise Problem(502, "A planned fault cut the connection.")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in answer.headers}
    return Response(answer.body, answer.status, headers)


async def arns(page: Page) -> Response:
    """ARNs of the queues of an account and region, which forms offer."""
    account, region = place_of(page)
    found = await page.parts.engine.all_queues(account=account, region=region)
    return Response(msgspec.json.encode([queue.arn for queue in found]), media_type="application/json")


def place_of(page: Page) -> tuple[str, str]:
    """Account and region of the query string, or the defaults."""
    settings, given = page.parts.settings, page.request.query_params
    account, region = given.get("account") or settings.account, given.get("region") or settings.region
    if not re.fullmatch(ACCOUNT, account) or not re.fullmatch(REGION, region):
        raise Problem(400, "account, region: are no account and region")
    return account, region


ROUTES = (
    ("/_emulator/console/aws/{action}", ("POST",), call_aws),
    ("/_emulator/console/arns", ("GET",), arns),
)
