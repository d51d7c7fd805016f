import pytest

from emulator.web.console.formats import ago, duration, number, size, when, when_exactly


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.9, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (61, "1 min 1 s"),
        (3_600, "1 h"),
        (3_601, "1 h"),
        (7_500, "2 h 5 min"),
        (86_400, "1 d"),
        (86_460, "1 d"),
        (345_600, "4 d"),
        (1_209_599, "13 d 23 h"),
    ],
)
def test_durations_have_the_two_units_that_count(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(("ms", "text"), [(0, "1 min ago"), (60_000, "0 s ago"), (65_000, "in 5 s")])
def test_moments_are_told_from_now(ms, text):
    assert ago(ms, 60_000) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1_023, "1023 B"),
        (1_024, "1 KiB"),
        (1_536, "1.5 KiB"),
        (1_048_576, "1 MiB"),
        (10**7, "9.5 MiB"),
    ],
)
def test_sizes_have_a_fitting_unit(count, text):
    assert size(count) == text


def test_thousands_have_commas():
    assert [number(count) for count in (0, 999, 1_000, 1_234_567)] == ["0", "999", "1,000", "1,234,567"]


def test_moments_are_in_utc():
    assert when(1_767_225_600_000) == "2026-01-01 00:00:00"
    assert when_exactly(1_767_225_600_007) == "2026-01-01 00:00:00.007"
    assert when(253_402_300_799_999) == "9999-12-31 23:59:59"
