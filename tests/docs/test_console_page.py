"""docs/console.md: its links and pictures."""

import re

from emulator.web.console.app import ENTRIES
from tests.browser.screenshots import IMAGES, PICTURES
from tests.docs.pages import Page

PAGE = Page("docs/console.md")


def test_every_link_and_picture_leads_somewhere():
    assert PAGE.dead_links() == []
    assert re.findall(r"!\[[^\]]+\]\(images/([\w-]+)\.png\)", PAGE.text) != []


def test_the_pictures_are_those_that_the_command_makes():
    assert sorted(image.stem for image in IMAGES.iterdir()) == sorted(picture.name for picture in PICTURES)


def test_the_console_has_a_page_for_each_row_of_the_table():
    rows = re.findall(r"^\| ([A-Z][\w ]+) \| ", PAGE.text, re.MULTILINE)
    assert rows == ["Page", "Overview", "Queue", "Message", "Charts", "Requests", "Clock and faults"]
    paths = {path for path, _, _ in ENTRIES}
    assert paths >= {f"/_emulator/console/{name}" for name in ("charts", "requests", "time")}
