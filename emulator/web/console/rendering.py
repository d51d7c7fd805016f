"""What a page is made of: what each view is given, filters for templates, and what all pages show."""

import base64
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from emulator import __version__
from emulator.domain.model import QueueKey
from emulator.web.console import notices
from emulator.web.console.formats import ago, duration, number, size, when, when_exactly
from emulator.web.kit.calls import Parts
from emulator.web.kit.clock import iso

NAV = (
    ("overview", "Overview", "/_emulator/"),
    ("charts", "Charts", "/_emulator/console/charts"),
    ("requests", "Requests", "/_emulator/console/requests"),
    ("time", "Clock and faults", "/_emulator/console/time"),
)


class Page(msgspec.Struct, frozen=True):
    """One visit of the console, as each view gets it."""

    parts: Parts
    request: Request
    base_url: str
    """Scheme and host of AWS requests, with which queue URLs begin."""
    aws_port: int | None = None
    """The port of AWS requests, if it is another than that of the console."""
    accounts: tuple[str, ...] = ()
    """Those that have queues, and the default one."""

    def now_ms(self, account: str) -> int:
        """By the clock of the account."""
        return self.parts.worlds.of(account).clock.now_ms()


def render(
    page: Page, template: str, *, status: int = 200, nav: str = "", account: str | None = None, **values: Any
) -> HTMLResponse:
    """`nav`: the entry of NAV that the page belongs to. `account`: whose clock it shows."""
    whose = account or page.parts.settings.account
    text = ENVIRONMENT.get_template(template).render(
        nav_entries=NAV,
        nav=nav,
        version=__version__,
        clock_account=whose,
        clock=clock_of(page, whose),
        notices=notices.notices(page.parts, page.accounts),
        default_account=page.parts.settings.account,
        default_region=page.parts.settings.region,
        base_url=page.base_url,
        **values,
    )
    return HTMLResponse(text, status)


def clock_of(page: Page, account: str) -> dict[str, Any]:
    """How an account's clock stands, as templates and the live stream have it."""
    clock = page.parts.worlds.of(account).clock
    return {
        "now_ms": clock.now_ms(),
        "real": clock.is_real,
        "frozen": clock.frozen,
        "speed": clock.speed,
        "offset_ms": clock.offset_ms,
    }


def queue_href(key: QueueKey) -> str:
    """The page of a queue."""
    return "/_emulator/console/queues/" + "/".join(quote(part, safe="") for part in _places(key))


def message_href(key: QueueKey, message_id: str) -> str:
    """The page of a message; it says in which queue it was seen."""
    account, region, name = key
    where = urlencode({"account": account, "region": region, "queue": name})
    return f"/_emulator/console/messages/{quote(message_id, safe='')}?{where}"


def live_key(key: QueueKey) -> str:
    """What a queue is called in the live stream: `region/account/name`."""
    return "/".join(_places(key))


def _places(key: QueueKey) -> tuple[str, str, str]:
    return key.region, key.account, key.name


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("emulator.web.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    filters: dict[str, Callable[..., Any]] = {
        "when": when,
        "when_exactly": when_exactly,
        "iso": iso,
        "ago": ago,
        "duration": duration,
        "bytes": size,
        "bytes_of": lambda text: len(text.encode()),
        "base64": lambda value: base64.b64encode(value or b"").decode(),
        "number": number,
        "queue_href": queue_href,
        "live_key": live_key,
    }
    environment.filters.update(filters)
    environment.globals["message_href"] = message_href
    return environment


ENVIRONMENT = _environment()
