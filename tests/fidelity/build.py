"""Writes docs/fidelity.md from the rules: `python -m tests.fidelity.build`; `--check` only compares."""

import sys
from pathlib import Path

from tests.fidelity.rules import Rule, Section, sections

DOCUMENT = Path(__file__).parents[2] / "docs" / "fidelity.md"

INTRODUCTION = """\
# Fidelity

Every rule of SQS that is known, how it is known, and the test that asserts it. This file is generated from
`tests/fidelity/*.toml` by `python -m tests.fidelity.build`; a test compares it with them.

{counts}

How a rule is known:

| word | meaning |
|---|---|
| recorded | from recorded answers of AWS, or asserted by tests that were run against AWS |
| reported | AWS's answer as somebody quoted it in a public bug report |
| documented | from AWS's API reference or developer guide |
| model | from the service model that AWS publishes for SDKs |
| emulator | known only from the source of other emulators |
| unsure | nobody outside AWS knows; the row says what was chosen |

Tests are named from the folder `tests/`. Those in `contract/` run in both protocols.

## Where the emulator departs from AWS

On purpose:

- Signatures are not verified, and nobody is denied anything: policies are stored and checked for form, not
  evaluated. An access key id of 12 digits is an account of its own, any other one the default account.
- There is no key service: encryption attributes are kept and reported, and no KMS error is ever sent.
- Nothing takes up to a minute to settle. Counts are exact; new and deleted queues, changed attributes and
  purges take effect at once; a short poll returns what there is.
- Queue URLs begin with scheme and Host of the request that asks (or with `base_url`); on input only the path
  counts.
- Quotas of FIFO queues hold only with `fifo_quotas`. `--no-cooldowns` does away with the 60 seconds after
  PurgeQueue and DeleteQueue, `in_flight_limit` lowers the 120,000 messages in flight.
- Standard queues deliver in order and once, except that a message received three times goes to the back.
- A FIFO queue keeps the deduplication scope that it was created with. So it is recorded on AWS, where it may
  be a delay.
- Fair queues find noisy groups by their messages in flight only, not by the time they take to process.
- A request body may have 8 MiB (`max_body_bytes`); a larger one is answered with status 413.

Beyond AWS:

- Queue URLs of other emulators are understood, as are `MessageSystemAttributeName.N` in the Query protocol,
  compressed bodies, and CORS requests.
- `/_emulator/` has pages of our own; a config file declares queues; `data` keeps everything over restarts.

Rows whose remark begins with "departs" are differences that a client could notice.
"""
HEADER = "| id | rule | known | asserted by |\n|---|---|---|---|\n"


def document() -> str:
    parts = sections()
    return "\n".join([INTRODUCTION.format(counts=_counts(parts)), *(_section(part) for part in parts)])


def _counts(parts: list[Section]) -> str:
    rows = [rule for part in parts for rule in part.rules]
    tested = [rule for rule in rows if rule.tests]
    names = {name for rule in rows for name in rule.tests}
    return (
        f"**{len(rows)} rules: {len(tested)} with a test, {len(rows) - len(tested)} without one, "
        f"for a reason that the row gives.** {len(names)} tests are named."
    )


def _section(part: Section) -> str:
    return f"## {part.title} ({part.number})\n\n{HEADER}{''.join(_row(rule) for rule in part.rules)}"


def _row(rule: Rule) -> str:
    asserted = "<br>".join(f"`{name}`" for name in rule.tests)
    cells = (rule.id, rule.text, ", ".join(rule.known), " — ".join(filter(None, (asserted, rule.why))))
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |\n"


def main() -> int:
    text = document()
    if "--check" not in sys.argv:
        DOCUMENT.write_text(text, "utf-8")
        return 0
    if DOCUMENT.exists() and DOCUMENT.read_text("utf-8") == text:
        return 0
    print("docs/fidelity.md is not up to date: run python -m tests.fidelity.build", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
