"""The console in a real Chromium. Any script error, console error or refused resource fails the test."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Request, expect, sync_playwright

from tests.browser.site import Site
from tests.support.server import running_server

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The first is the same browser without what a window needs, and starts pages twice as fast."""
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
"""No sandbox: it cannot be set up by root in a container. Only our own pages are opened."""
PATIENCE_MS = 10_000
LOUD = ("error", "warning")
"""Kinds of console messages that no page may write; a refusal by the Content-Security-Policy is one."""


def chromium() -> str:
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found is not None, (
        "no Chromium was found: install it (Debian: apt-get install chromium-headless-shell; `make test` "
        "does so as root), or name one in the variable CHROMIUM"
    )
    return found


# For one file at a time: while it is there, Playwright keeps an event loop running in the thread of the
# tests, and those of other files could not run theirs.
@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        playwright.selectors.set_test_id_attribute("data-test")
        yield playwright


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture
def options() -> dict[str, Any]:
    """Of the browser's window; a test may override it."""
    return {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"}


@pytest.fixture
def page(browser: Browser, options: dict[str, Any], request: pytest.FixtureRequest) -> Iterator[Page]:
    if "site" in request.fixturenames:
        request.getfixturevalue("site")  # before the page, so that the server outlives it
    context = browser.new_context(**options, reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(f"script: {error}"))
    page.on("console", lambda message: _is_a_complaint(message) and complaints.append(message.text))
    page.on("requestfailed", lambda request: _is_lost(request) and complaints.append(request.url))
    yield page
    context.close()
    assert complaints == []


def _is_a_complaint(message: ConsoleMessage) -> bool:
    """Chromium itself writes of each answer that is a refusal; those of AWS actions are shown on the page."""
    return message.type in LOUD and "/console/aws/" not in message.location["url"]


def _is_lost(request: Request) -> bool:
    """It failed, and not because the page was left before the answer came."""
    return request.failure != "net::ERR_ABORTED"


@pytest.fixture
def site() -> Iterator[Site]:
    """A server of the test's own, whose clock stands still, with boto3 clients."""
    with running_server() as server:
        yield Site(server)
