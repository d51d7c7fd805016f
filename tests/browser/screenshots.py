"""Makes the pictures of the docs anew: python -m tests.browser.screenshots"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import FLAGS, chromium
from tests.browser.shop import open_shop
from tests.browser.site import Site
from tests.support.server import running_server

IMAGES = Path(__file__).parents[2] / "docs/images"


class Picture(NamedTuple):
    name: str
    page: str
    width: int = 1280
    height: int = 860
    theme: str = "light"
    shows: str = "main"
    """What must be there before the picture is taken."""


PICTURES = (
    Picture("overview", "overview", height=1000, shows='[data-test="queue-row"]'),
    Picture("overview-dark", "overview", height=1000, theme="dark", shows='[data-test="queue-row"]'),
    Picture("overview-phone", "overview", 390, 844, shows='[data-test="queue-row"]'),
    Picture("queue", "queue", height=1000, shows='[data-test="message-row"]'),
    Picture("fifo-queue-dark", "fifo", height=1000, theme="dark", shows='[data-test="group-row"]'),
    Picture("message", "message", height=1100, shows='[data-test="timeline-event"]'),
    Picture("charts-dark", "charts", height=900, theme="dark", shows='[data-test="chart"] canvas'),
    Picture("clock-and-faults", "time", height=1000, shows='[data-test="clock-now"]'),
    Picture("requests", "requests", height=800, shows='[data-test="request-row"]'),
    Picture("request", "request", height=900, shows='[data-test="came-in"]'),
)


@contextmanager
def shop_open() -> Iterator[dict[str, str]]:
    """A server with a day in a shop on it; its pages by name."""
    with running_server() as server:
        site = Site(server)
        spent = open_shop(site)
        sends = [one for one in server.emulator.traffic.latest(100) if one.action == "SendMessage"]
        yield {
            "overview": site.url(),
            "queue": site.queue_page("orders"),
            "fifo": site.queue_page("shipments.fifo"),
            "dead letters": site.queue_page("orders-dlq"),
            "message": site.message_page(spent),
            "charts": site.url("charts?queue=orders&account=000000000000&region=us-east-1"),
            "time": site.url("time"),
            "requests": site.url("requests"),
            "request": site.url(f"requests/{sends[0].request_id}"),
        }


def take(browser: Browser, addresses: dict[str, str], picture: Picture) -> bytes:
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="dark" if picture.theme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(addresses[picture.page])
    _settle(page, picture)
    taken = page.screenshot()
    context.close()
    return taken


def _settle(page: Page, picture: Picture) -> None:
    """Until it is there, and live."""
    page.locator(picture.shows).first.wait_for()
    page.locator('[data-live-state="on"]').first.wait_for(state="attached")


def main() -> int:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, shop_open() as addresses:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for picture in PICTURES:
            image = IMAGES / f"{picture.name}.png"
            image.write_bytes(take(browser, addresses, picture))
            print(f"{image.name}: {image.stat().st_size // 1024} KiB")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
