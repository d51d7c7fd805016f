import pytest

from emulator.cli_views import duration
from emulator.tables import table


def lines(*rows, heads=("NAME", "COUNT", "TEXT"), **options):
    return table(heads, rows, **options).splitlines()


def test_numbers_stand_right_and_words_left():
    assert lines(("orders", 12, "a"), ("mail", 3, "b")) == [
        "NAME    COUNT  TEXT",
        "orders     12  a",
        "mail        3  b",
    ]


def test_a_missing_value_is_a_dash_and_a_column_without_values_is_left_out():
    assert lines(("orders", None, None), ("mail", None, "b")) == ["NAME    TEXT", "orders  -", "mail    b"]


def test_a_line_that_is_too_wide_is_cut():
    assert lines(("orders", 1, "x" * 50), width=20) == ["NAME    COUNT  TEXT", "orders      1  xxxx…"]


def test_wide_characters_take_two_columns():
    assert lines(("注文", 1, "a"), ("mail", 1, "注文" * 9), width=20) == [
        "NAME  COUNT  TEXT",
        "注文      1  a",
        "mail      1  注文注…",
    ]


@pytest.mark.parametrize("text", ["two\nlines", "a\ttab", "\x1b[31mred", "\u202eright to left"])
def test_what_would_move_the_cursor_is_spelled_out(text):
    (_, line) = lines((text,), heads=("TEXT",))
    assert line == repr(text)[1:-1]
    assert line.isprintable()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0004, "0.0004 s"),
        (1.5, "1.5 s"),
        (119, "119 s"),
        (900, "15 min"),
        (930, "15 min 30 s"),
        (43_200, "12 h"),
        (45_000, "12 h 30 min"),
        (345_600, "4 d"),
        (349_200, "4 d 1 h"),
    ],
)
def test_a_duration_is_told_in_its_two_largest_units(seconds, text):
    assert duration(seconds) == text
