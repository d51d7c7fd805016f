"""A message's way with the keyboard alone; and what opens and unfolds, for screen readers."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_looks import AXE, IN_CI

MANY_TABS = 120
FOCUSED = "document.activeElement"
SHOWS_FOCUS = f"""(() => {{
    const style = getComputedStyle({FOCUSED});
    return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 || style.boxShadow !== 'none';
}})()"""


def tab_to(page, test_id):
    """Presses Tab until the element has the focus, and sees that each on the way shows it."""
    for _ in range(MANY_TABS):
        page.keyboard.press("Tab")
        name = page.evaluate(f"{FOCUSED}.dataset.test ?? ''")
        assert page.evaluate(SHOWS_FOCUS), page.evaluate(f"{FOCUSED}.outerHTML")[:120]
        if name == test_id:
            return
    raise AssertionError(f"Tab does not lead to {test_id}")


def write(page, text):
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)


def violations(page, where):
    page.evaluate(AXE)
    found = page.evaluate(f"axe.run('{where}', {{resultTypes: ['violations']}}).then(one => one.violations)")
    return [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found]


def test_a_queue_is_created_filled_looked_into_and_purged_by_keyboard(page, site):
    page.goto(site.url())
    tab_to(page, "create-queue")
    page.keyboard.press("Enter")
    tab_to(page, "create-name")
    write(page, "orders")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/orders$"))
    tab_to(page, "send-body")
    page.keyboard.type("hello {{n}}")
    tab_to(page, "send-copies")
    write(page, "2")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("message-row")).to_have_count(2)
    page.get_by_role("heading", level=1).click()
    tab_to(page, "peek")
    page.keyboard.press("Enter")
    expect(page.locator("[data-unfolded]").first).to_contain_text("hello 1")
    page.reload()
    tab_to(page, "purge")
    page.keyboard.press("Enter")
    tab_to(page, "confirm-yes")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("no-messages")).to_be_visible()
    assert page.evaluate(f"{FOCUSED}.dataset.test") == "purge"


def test_the_focus_stays_on_a_row_while_others_come(page, site):
    queue = site.create("orders")
    site.send(queue, "one")
    page.goto(site.queue_page("orders"))
    page.get_by_test_id("peek").focus()
    site.send(queue, "two")
    expect(page.get_by_test_id("message-row")).to_have_count(2)
    assert page.evaluate(f"{FOCUSED}.textContent") == "one"


@pytest.mark.parametrize("color_scheme", ["light", "dark"] if IN_CI else ["light"])
def test_what_opens_and_unfolds_is_accessible(page, site, color_scheme):
    page.emulate_media(color_scheme=color_scheme)
    site.send(
        site.create("orders"),
        '{"order": 42, "items": []}',
        MessageAttributes={"source": {"DataType": "String", "StringValue": "shop"}},
    )
    page.goto(site.url())
    page.get_by_test_id("create-queue").click()
    assert violations(page, "#create-dialog") == []
    page.goto(site.queue_page("orders"))
    page.get_by_test_id("peek").click()
    expect(page.locator("[data-unfolded]")).to_contain_text("source")
    page.get_by_test_id("add-attribute").click()
    assert violations(page, "main") == []
    for opener, dialog in (
        ("edit-attributes", "#attributes-dialog"),
        ("edit-tags", "#tags-dialog"),
        ("edit-policy", "#policy-dialog"),
        ("purge", "#confirm"),
    ):
        page.get_by_test_id(opener).click()
        assert (opener, violations(page, dialog)) == (opener, [])
        page.keyboard.press("Escape")
    page.get_by_test_id("purge").click()
    page.get_by_test_id("confirm-yes").click()
    expect(page.get_by_test_id("toast")).to_be_visible()
    assert violations(page, "#toasts") == []
