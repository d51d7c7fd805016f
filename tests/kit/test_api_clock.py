import pytest

from tests.kit.api import good, refusal
from tests.support.clocks import START_MS

STOPPED = {"now_ms": START_MS, "now": "2026-01-01T00:00:00.000Z", "frozen": True, "speed": 1.0, "real": False}


@pytest.fixture(autouse=True)
def the_servers_clock_stands_at_its_start(server):
    yield
    server.run(server.emulator.adjust_clock(None, _back_to_the_start))


def _back_to_the_start(clock):
    clock.freeze()
    clock.set(START_MS)


def test_the_clock_can_be_read(api):
    assert api.get("clock") == STOPPED


def test_an_account_without_a_clock_of_its_own_has_the_servers(api, account):
    assert api.get("clock", account=account) == STOPPED


@pytest.mark.parametrize(
    ("step", "ms"), [({"seconds": 43_200}, 43_200_000), ({"seconds": 0.25}, 250), ({"ms": 7}, 7)]
)
def test_a_clock_is_advanced_by_seconds_or_milliseconds(api, step, ms):
    assert api.post("clock/advance", **step)["now_ms"] == START_MS + ms
    assert api.get("clock")["now_ms"] == START_MS + ms


def test_an_account_that_is_advanced_has_its_own_clock_from_then_on(api, account):
    advanced = api.post("clock/advance", ms=1, account=account)
    assert advanced == STOPPED | {
        "now_ms": START_MS + 1,
        "now": "2026-01-01T00:00:00.001Z",
        "account": account,
    }
    assert api.get("clock") == STOPPED
    api.post("clock/advance", seconds=5)
    assert api.get("clock", account=account)["now_ms"] == START_MS + 1


def test_an_account_can_go_back_to_the_servers_clock(api, account):
    api.post("clock/advance", seconds=9, account=account)
    assert good(api.ask("DELETE", "clock", account=account)) == STOPPED
    assert api.get("clock", account=account) == STOPPED


def test_the_server_can_go_back_to_the_time_of_the_system(api):
    clock = good(api.ask("DELETE", "clock"))
    assert (clock["real"], clock["frozen"], clock["speed"]) == (True, False, 1.0)


def test_a_clock_runs_on_from_where_it_stands(api, account):
    assert api.post("clock/resume", account=account)["frozen"] is False
    assert api.post("clock/freeze", account=account)["frozen"] is True


def test_a_clock_runs_as_many_times_as_fast_as_it_is_told(api, account):
    assert api.post("clock/speed", speed=60, account=account)["speed"] == 60.0


@pytest.mark.parametrize(
    ("moment", "now_ms"),
    [
        ({"now_ms": 0}, 0),
        ({"now": "2027-03-01T12:00:00Z"}, 1_803_902_400_000),
        ({"now": "2027-03-01T13:00:00.5+01:00"}, 1_803_902_400_500),
    ],
)
def test_a_clock_is_set_forward_and_back(api, account, moment, now_ms):
    assert api.post("clock/set", account=account, **moment)["now_ms"] == now_ms


def test_a_visibility_timeout_of_twelve_hours_ends_when_the_clock_says_so(api, account):
    queue = api.queue("slow", account, VisibilityTimeout="43200")
    api.fill(queue, "one", account=account)
    assert api.sqs("ReceiveMessage", account, QueueUrl=queue)["Messages"]
    api.post("clock/advance", seconds=43_199, account=account)
    assert not api.sqs("ReceiveMessage", account, QueueUrl=queue)
    api.post("clock/advance", seconds=1, account=account)
    assert api.sqs("ReceiveMessage", account, QueueUrl=queue)["Messages"]


def test_what_became_due_has_happened_once_a_clock_is_advanced(api, account):
    dead, target = api.queue("dead", account), api.queue("target", account)
    arn = f"arn:aws:sqs:us-east-1:{account}:"
    policy = {"RedrivePolicy": f'{{"deadLetterTargetArn": "{arn}dead", "maxReceiveCount": "1"}}'}
    api.sqs("SetQueueAttributes", account, QueueUrl=target, Attributes=policy)
    api.fill(dead, *(str(number) for number in range(250)), account=account)
    moving = {"SourceArn": f"{arn}dead", "DestinationArn": f"{arn}target", "MaxNumberOfMessagesPerSecond": 10}
    api.sqs("StartMessageMoveTask", account, **moving)
    api.post("clock/advance", seconds=20, account=account)
    (found,) = api.get("queues", account=account, prefix="target")["queues"]
    assert found["visible"] == 201


def test_the_same_seed_makes_the_same_ids(api, account):
    queue = api.queue("seeded", account)
    made = []
    for _ in range(2):
        assert api.post("seed", seed=7, account=account) == {"seed": 7, "account": account}
        made.append(api.fill(queue, "a", "b", account=account))
    assert made[0] == made[1]


def test_the_servers_seed_holds_for_accounts_without_their_own(api, account):
    queue = api.queue("seeded-by-the-server", account)
    made = []
    for _ in range(2):
        assert api.post("seed", seed=8) == {"seed": 8}
        made.append(api.fill(queue, "a", account=account))
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("path", "body", "text"),
    [
        ("clock/advance", {}, "seconds, ms: one of them must be given"),
        ("clock/advance", {"seconds": 1, "ms": 1}, "seconds, ms: one of them must be given"),
        ("clock/advance", {"seconds": "1"}, "seconds: must be a number, not text"),
        ("clock/advance", {"seconds": -1}, "seconds: must be a number >= 0.0"),
        ("clock/advance", {"seconds": 1e300}, "seconds: must be a number <= 253402300799.999"),
        ("clock/advance", {"ms": 253_402_300_799_999}, "a clock shows a time from 1970 to 9999"),
        ("clock/advance", {"ms": 0.5}, "ms: must be a whole number, not a number"),
        ("clock/advance", {"hours": 1}, "hours: there is no such member"),
        ("clock/advance", [], "the body: must be an object, not a list"),
        ("clock/advance", b"{", "the body is not valid JSON: Input data was truncated"),
        ("clock/advance", b"no", "the body is not valid JSON: Input data was truncated"),
        ("clock/advance", {"ms": 1, "account": "12"}, "account: must be an account id of 12 digits"),
        ("clock/set", {}, "now_ms, now: one of them must be given"),
        ("clock/set", {"now_ms": -1}, "now_ms: must be a whole number >= 0"),
        ("clock/set", {"now": "2026-01-01T00:00:00"}, "now: must be a moment with a timezone component"),
        ("clock/set", {"now": "yesterday"}, "now: must be a moment, such as 2026-01-01T00:00:00Z"),
        ("clock/set", {"now": "1969-12-31T23:59:59Z"}, "now: a clock shows a time from 1970 to 9999"),
        ("clock/speed", {}, "speed: is missing"),
        ("clock/speed", {"speed": 0}, "speed: must be a number > 0.0"),
        ("clock/speed", {"speed": 1_000_001}, "speed: must be a number <= 1000000.0"),
        ("clock/freeze", {"seconds": 1}, "seconds: there is no such member"),
        ("clock/resume", {"seconds": 1}, "seconds: there is no such member"),
        ("seed", {}, "seed: is missing"),
        ("seed", {"seed": 1.5}, "seed: must be a whole number, not a number"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_words_that_name_the_member(api, path, body, text):
    assert refusal(api.ask("POST", path, body)) == (400, text)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_bad_parameters_are_refused_in_words_that_name_them(api, method):
    assert refusal(api.ask(method, "clock", accounts=1)) == (400, "accounts: there is no such parameter")
    text = "account: must be an account id of 12 digits"
    assert refusal(api.ask(method, "clock", account="me")) == (400, text)
    twice = "/_emulator/clock?account=000000000000&account=000000000001"
    assert refusal(api.ask(method, twice)) == (400, "account: is given more than once")


def test_what_takes_no_parameters_refuses_them(api):
    assert refusal(api.ask("POST", "clock/freeze", account="000000000000")) == (
        400,
        "account: there is no such parameter",
    )
