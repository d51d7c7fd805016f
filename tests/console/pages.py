"""Pages as tests look at them: elements, found by their data-test or other attributes, and what they say."""

from collections.abc import Iterator
from html.parser import HTMLParser

from tests.http.connections import Answer
from tests.kit.api import Api
from tests.support.server import TestServer

VOID = {"br", "hr", "img", "input", "link", "meta"}
HTML = {"accept": "text/html"}


class Element:
    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element | str] = []

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    def __contains__(self, name: str) -> bool:
        return name in self.attributes

    def walk(self) -> Iterator["Element"]:
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, test: str | None = None, **attributes: str) -> list["Element"]:
        """Those below it with this data-test and these attributes; `tag` is the name of the element."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        if test is not None:
            wanted["data-test"] = test
        tag = wanted.pop("tag", None)
        return [
            one
            for one in self.walk()
            if tag in (None, one.tag)
            and all(one.attributes.get(name) == value for name, value in wanted.items())
        ]

    def one(self, test: str | None = None, **attributes: str) -> "Element":
        (found,) = self.all(test, **attributes)
        return found

    @property
    def text(self) -> str:
        """Without blanks that nobody sees."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif child.tag != "template":
                yield from child._texts()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID and not (self.get_starttag_text() or "").endswith("/>"):
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        names = [element.tag for element in self.open]
        if tag in names:
            del self.open[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(html: str) -> Element:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root


class Console(Api):
    """The kit's API and SQS, and the pages beside them."""

    def __init__(self, server: TestServer) -> None:
        super().__init__(server)

    def look(self, path: str, **parameters: str) -> Answer:
        """A page as a browser asks for it."""
        return self.ask("GET", path, headers=HTML, **parameters)

    def page(self, path: str, **parameters: str) -> Element:
        answer = self.look(path, **parameters)
        assert answer.status == 200, (answer.status, answer.body)
        return read(answer.body.decode())

    def queue_page(self, name: str, account: str, region: str = "us-east-1", **parameters: str) -> Element:
        return self.page(queue_path(name, account, region), **parameters)


def queue_path(name: str, account: str, region: str = "us-east-1") -> str:
    return f"console/queues/{region}/{account}/{name}"
