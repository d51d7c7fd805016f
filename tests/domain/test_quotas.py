"""The numbers of AWS's quotas."""

import pytest

from emulator.domain.limits import MAX_IN_FLIGHT
from emulator.domain.quotas import calls_per_second
from emulator.settings import Settings


def test_a_fifo_queue_takes_300_calls_a_second_wherever_it_is():
    for region in ("us-east-1", "eu-north-1"):
        assert calls_per_second(region, is_high_throughput=False) == 300


@pytest.mark.parametrize(
    ("calls", "regions"),
    [
        (70_000, ["us-east-1", "us-west-2", "eu-west-1"]),
        (19_000, ["us-east-2", "eu-central-1"]),
        (9_000, ["ap-south-1", "ap-southeast-1", "ap-southeast-2", "ap-northeast-1"]),
        (4_500, ["eu-west-2", "sa-east-1"]),
        (2_400, ["eu-north-1", "us-west-1", "cn-north-1"]),
    ],
)
def test_with_high_throughput_the_region_decides(calls, regions):
    assert {calls_per_second(region, is_high_throughput=True) for region in regions} == {calls}


def test_120_000_messages_of_a_queue_may_be_in_flight_and_quotas_are_off():
    settings = Settings()
    assert settings.in_flight_limit == MAX_IN_FLIGHT == 120_000
    assert settings.fifo_quotas is False
