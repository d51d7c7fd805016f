"""Call rates of FIFO queues (spec 3.17). Standard queues have none."""

CALLS_PER_SECOND = 300
"""Of each action, on a queue in default mode; and of sends to one group in high-throughput mode."""

HIGH_THROUGHPUT_CALLS_PER_SECOND = {
    "us-east-1": 70_000,
    "us-west-2": 70_000,
    "eu-west-1": 70_000,
    "us-east-2": 19_000,
    "eu-central-1": 19_000,
    "ap-south-1": 9_000,
    "ap-southeast-1": 9_000,
    "ap-southeast-2": 9_000,
    "ap-northeast-1": 9_000,
    "eu-west-2": 4_500,
    "sa-east-1": 4_500,
}
HIGH_THROUGHPUT_ELSEWHERE = 2_400


def calls_per_second(region: str, *, is_high_throughput: bool) -> int:
    if not is_high_throughput:
        return CALLS_PER_SECOND
    return HIGH_THROUGHPUT_CALLS_PER_SECOND.get(region, HIGH_THROUGHPUT_ELSEWHERE)
