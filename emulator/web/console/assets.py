"""The files that pages load: styles, scripts, the icon. All of them lie in the package."""

import hashlib
import re
from pathlib import Path

from starlette.responses import Response

from emulator.web.console.rendering import Page
from emulator.web.kit.problems import Problem

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]*")


async def asset(page: Page) -> Response:
    """Browsers ask each time whether it changed: an emulator that was updated must not meet old scripts."""
    name = page.request.path_params["file"]
    path = FOLDER / name
    if not _NAME.fullmatch(name) or path.suffix not in TYPES or not path.is_file():
        raise Problem(404, f"There is no file {name}.")
    content = path.read_bytes()
    etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = {"etag": etag, "cache-control": "no-cache"}
    if etag in page.request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=TYPES[path.suffix])


ROUTES = (("/_emulator/console/static/{file}", ("GET",), asset),)
