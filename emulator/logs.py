"""Logs: one line for each event on stderr, as text or as JSON.

Text: `12:00:00.123 INFO request id=… action=SendMessage queue=orders status=200 ms=0.4`. An error that nobody
expected is followed by its traceback, which is what the reader then needs; JSON keeps it in the line.
"""

import logging
import sys
from datetime import UTC, datetime

import msgspec


def event(logger: logging.Logger, level: int, name: str, /, **fields: object) -> None:
    """Logs `name` with its fields: `event(log, logging.INFO, "request", id=…, status=200)`."""
    if logger.isEnabledFor(level):
        logger.log(level, name, extra={"fields": fields})


def setup_logging(level: str, format: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if format == "json" else TextLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # At info, uvicorn tells of its own start and stop: ours says what matters of it.
    logging.getLogger("uvicorn").setLevel("DEBUG" if level == "debug" else "WARNING")


class TextLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        words = [
            self.formatTime(record, "%H:%M:%S") + f".{int(record.msecs):03d}",
            record.levelname,
            _one_line(record.getMessage()),
            *(f"{name}={_word(value)}" for name, value in _fields(record).items()),
        ]
        line = " ".join(words)
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line, enc_hook=str).decode()


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields = getattr(record, "fields", None)
    return fields if isinstance(fields, dict) else {}


def _one_line(text: str) -> str:
    return text if text.isprintable() else text.encode("unicode_escape").decode()


def _word(value: object) -> str:
    """A value that cannot be mistaken for several, whatever a caller put into a queue's name."""
    text = str(value)
    if text and text.isprintable() and not any(char in ' ="' for char in text):
        return text
    return msgspec.json.encode(text).decode()
