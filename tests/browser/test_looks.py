"""Every page: on narrow and wide screens, in light and dark, for keyboards and screen readers."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.screenshots import PICTURES, shop_open, take

AXE = Path(__file__).with_name("vendor").joinpath("axe.min.js").read_text(encoding="utf-8")
PAGES = ("overview", "queue", "fifo", "dead letters", "message", "charts", "time", "requests", "request")


@pytest.fixture(scope="module")
def shop():
    """A server that all tests here look at, and none changes."""
    with shop_open() as addresses:
        assert tuple(addresses) == PAGES
        yield addresses


IN_CI = bool(os.environ.get("CI"))
"""Elsewhere fewer combinations are tried, as each takes a second or more."""


@pytest.fixture(params=["light", "dark"] if IN_CI else ["light"])
def theme(request):
    return request.param


@pytest.fixture(params=[390, 1600], ids=["phone", "wide"])
def width(request):
    return request.param


@pytest.fixture
def options(theme, width):
    return {"viewport": {"width": width, "height": 900}, "color_scheme": theme}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_has_its_landmarks(page, shop, name):
    page.goto(shop[name])
    expect(page.get_by_role("main")).to_be_visible()
    assert page.get_by_role("heading", level=1).count() == 1
    assert _sideways_px(page) == 0


@pytest.mark.parametrize("theme", ["light"], indirect=True)
@pytest.mark.parametrize("width", [1600], indirect=True)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_while_its_window_is_made_narrower(page, shop, name, theme, width):
    page.goto(shop[name])
    for width_px in (1366, 1181, 1180, 1024, 901, 900, 768, 600, 481, 480, 430, 360, 320):
        page.set_viewport_size({"width": width_px, "height": 900})
        assert (width_px, _sideways_px(page)) == (width_px, 0)


def _sideways_px(page):
    """By how much the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.mark.parametrize(
    ("theme", "width"), [("dark", 390), ("light", 1600)] if IN_CI else [("dark", 390)], indirect=True
)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible(page, shop, name, theme, width):
    few_rows = "?action=CreateQueue" if name == "requests" else ""
    page.goto(shop[name] + few_rows)
    expect(page.get_by_role("main")).to_be_visible()
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)")
    told = [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found]
    assert told == []


@pytest.mark.parametrize("theme", ["light"], indirect=True)
@pytest.mark.parametrize("width", [1600], indirect=True)
@pytest.mark.parametrize("name", PAGES)
def test_everything_that_can_be_clicked_is_reached_by_the_keyboard(page, shop, name, theme, width):
    page.goto(shop[name])
    expect(page.get_by_role("main")).to_be_visible()
    unreachable = page.evaluate(
        """[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
            .filter(one => one.checkVisibility() && one.tabIndex < 0 && !one.disabled)
            .map(one => one.outerHTML.slice(0, 80))"""
    )
    assert unreachable == []
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main"


@pytest.mark.parametrize("theme", ["light"], indirect=True)
@pytest.mark.parametrize("width", [1600], indirect=True)
def test_the_theme_can_be_chosen_and_is_remembered(page, shop, theme, width):
    page.goto(shop["overview"])
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_test_id("theme").click()
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert after != before
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == after


@pytest.mark.parametrize("theme", ["light"], indirect=True)
@pytest.mark.parametrize("width", [1600], indirect=True)
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_for_the_docs_can_be_taken(browser, shop, picture, theme, width):
    assert take(browser, shop, picture).startswith(b"\x89PNG")
