"""The commands that ask a running emulator, called as `main` is by the shell."""

import io
import json
import re
import subprocess
import sys

import pytest

from emulator import cli
from emulator.testing import Kit, running

NEW_YEAR_MS = 1_767_225_600_000
ACCOUNT = "000000000000"


@pytest.fixture(scope="module")
def server():
    with running(frozen=True, now_ms=NEW_YEAR_MS, seed=1) as server:
        yield server


@pytest.fixture(autouse=True)
def fresh(server):
    server.kit.reset()
    server.kit.faults.clear()
    server.kit.clock.set(NEW_YEAR_MS)
    server.kit.clock.freeze()


@pytest.fixture
def kit(server):
    return server.kit


@pytest.fixture
def sqs(server):
    return server.client()


@pytest.fixture
def call(monkeypatch, capsys, server):
    """Exit code, stdout and stderr."""

    def call(*words, url=server.url):
        monkeypatch.setenv("SQS_EMULATOR_URL", url)
        monkeypatch.setattr(sys, "argv", ["sqs-emulator", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return call


@pytest.fixture
def said(call):
    """What a command that succeeds says."""

    def said(*words):
        code, out, err = call(*words)
        assert (code, err) == (0, "")
        return out

    return said


@pytest.fixture
def answer(said):
    """The same in JSON."""
    return lambda *words: json.loads(said(*words, "--json"))


@pytest.fixture
def refusal(call):
    """Exit code and the one line of a command that fails."""

    def refusal(*words, **more):
        code, out, err = call(*words, **more)
        assert out == ""
        (line,) = err.splitlines()
        return code, line

    return refusal


@pytest.fixture
def orders(sqs):
    return sqs.create_queue(QueueName="orders")["QueueUrl"]


def rows(text):
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]


# queues


def test_queues_shows_counts_of_each_queue(said, sqs, orders):
    sqs.send_message(QueueUrl=orders, MessageBody="a")
    sqs.send_message(QueueUrl=orders, MessageBody="b", DelaySeconds=5)
    sqs.receive_message(QueueUrl=orders)
    assert rows(said("queues")) == [
        ["QUEUE", "VISIBLE", "IN FLIGHT", "DELAYED", "ACCOUNT", "REGION"],
        ["orders", "0", "1", "1", ACCOUNT, "us-east-1"],
    ]


def test_queues_can_be_narrowed_down(answer, server, sqs, orders):
    server.client(account="111111111111", region="eu-west-1").create_queue(QueueName="mail")
    assert [queue["name"] for queue in answer("queues")] == ["orders", "mail"]
    assert [queue["name"] for queue in answer("queues", "--prefix", "ma")] == ["mail"]
    assert [queue["name"] for queue in answer("queues", "--account", "111111111111")] == ["mail"]
    assert [queue["name"] for queue in answer("queues", "--region", "us-east-1")] == ["orders"]


def test_a_server_without_queues_says_so(said, answer):
    assert said("queues") == "no queues\n"
    assert answer("queues") == []


# peek


def test_peek_shows_messages_and_leaves_them_as_they_are(said, sqs, orders):
    sent = [
        sqs.send_message(QueueUrl=orders, MessageBody=body)["MessageId"] for body in ("hello", "two\nlines")
    ]
    sqs.receive_message(QueueUrl=orders)
    expected = [
        ["MESSAGE ID", "STATE", "VISIBLE IN", "RECEIVED", "SENT (UTC)", "BODY"],
        [sent[0], "in-flight", "30 s", "1", "2026-01-01 00:00:00.000", "hello"],
        [sent[1], "visible", "-", "0", "2026-01-01 00:00:00.000", r"two\nlines"],
    ]
    assert rows(said("peek", "orders")) == expected
    assert rows(said("peek", "orders")) == expected


@pytest.mark.parametrize("spelling", ["{url}", "arn:aws:sqs:us-east-1:000000000000:orders", "orders"])
def test_a_queue_goes_by_its_name_url_or_arn(answer, sqs, orders, spelling):
    sqs.send_message(QueueUrl=orders, MessageBody="hello")
    (message,) = answer("peek", spelling.format(url=orders))
    assert message["body"] == "hello"


def test_a_queue_is_found_in_whatever_account_and_region_it_is(answer, server):
    there = server.client(account="111111111111", region="eu-west-1")
    there.send_message(QueueUrl=there.create_queue(QueueName="mail")["QueueUrl"], MessageBody="hello")
    assert [message["body"] for message in answer("peek", "mail")] == ["hello"]


def test_a_name_that_several_queues_have_must_be_told_apart(refusal, answer, server, orders):
    server.client(account="111111111111").create_queue(QueueName="orders")
    code, line = refusal("peek", "orders")
    assert code == 1
    assert line.startswith("several queues fit orders: say of which account and region (")
    assert answer("peek", "orders", "--account", "111111111111") == []


def test_peek_takes_filters(answer, sqs, orders):
    tenant = {"tenant": {"DataType": "String", "StringValue": "acme"}}
    sqs.send_message(QueueUrl=orders, MessageBody="red apple", MessageAttributes=tenant)
    sqs.send_message(QueueUrl=orders, MessageBody="red pear")
    sqs.send_message(QueueUrl=orders, MessageBody="green pear", DelaySeconds=9)

    def bodies(*words):
        return [message["body"] for message in answer("peek", "orders", *words)]

    assert bodies("--text", "red") == ["red apple", "red pear"]
    assert bodies("--attribute", "tenant=acme") == ["red apple"]
    assert bodies("--state", "delayed", "--state", "in-flight") == ["green pear"]
    assert bodies("--limit", "1") == ["red apple"]


# history


def test_history_of_a_message_tells_its_life_after_its_end(said, sqs, orders):
    sent = sqs.send_message(QueueUrl=orders, MessageBody="hello")["MessageId"]
    handle = sqs.receive_message(QueueUrl=orders)["Messages"][0]["ReceiptHandle"]
    sqs.delete_message(QueueUrl=orders, ReceiptHandle=handle)
    assert rows(said("history", sent)) == [
        ["message", sent],
        ["body", "hello"],
        [""],
        ["TIME (UTC)", "EVENT", "QUEUE", "DETAILS"],
        ["2026-01-01 00:00:00.000", "sent", "orders", "-"],
        ["2026-01-01 00:00:00.000", "received", "orders", "receive 1, hidden for 30 s"],
        ["2026-01-01 00:00:00.000", "deleted", "orders", "receive 1"],
    ]


def test_history_without_a_message_tells_what_happened_last(answer, sqs, orders):
    for body in ("a", "b", "c"):
        sqs.send_message(QueueUrl=orders, MessageBody=body)
    sqs.receive_message(QueueUrl=orders)

    def kinds(*words):
        return [event["kind"] for event in answer("history", *words)]

    assert kinds() == ["sent", "sent", "sent", "received"]
    assert kinds("--limit", "2") == ["sent", "received"]
    assert kinds("--kind", "sent", "--limit", "2", "--queue", "orders") == ["sent", "sent"]
    assert kinds("--text", "b") == ["sent"]


def test_history_shows_attributes_and_group(said, sqs):
    url = sqs.create_queue(QueueName="orders.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
    attributes = {
        "tenant": {"DataType": "String", "StringValue": "acme"},
        "key": {"DataType": "Binary", "BinaryValue": b"\x00\x01"},
    }
    sent = sqs.send_message(
        QueueUrl=url,
        MessageBody="hello",
        MessageAttributes=attributes,
        MessageGroupId="a",
        MessageDeduplicationId="1",
    )["MessageId"]
    assert rows(said("history", sent))[1:4] == [
        ["group", "a"],
        ["attributes", "tenant=acme, key=AAE="],
        ["body", "hello"],
    ]


def test_history_of_an_unknown_message_is_refused(refusal):
    code, line = refusal("history", "nobody")
    assert code == 1
    assert "nobody" in line


# send and drain


def test_send_gives_the_message_id(said, sqs, orders):
    sent = said("send", "orders", "hello", "--attribute", "tenant=acme", "--delay", "0").strip()
    (message,) = sqs.receive_message(QueueUrl=orders, MessageAttributeNames=["All"])["Messages"]
    assert (message["MessageId"], message["Body"]) == (sent, "hello")
    assert message["MessageAttributes"] == {"tenant": {"DataType": "String", "StringValue": "acme"}}


def test_send_reads_standard_input_where_no_body_is_given(said, kit, orders, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("from a pipe"))
    said("send", "orders")
    assert kit.bodies("orders") == ["from a pipe"]


def test_send_to_a_fifo_queue_takes_group_and_deduplication_id(said, kit, sqs):
    sqs.create_queue(QueueName="orders.fifo", Attributes={"FifoQueue": "true"})
    said("send", "orders.fifo", "hello", "--group", "a", "--deduplication-id", "1")
    (message,) = kit.peek("orders.fifo")
    assert (message.group_id, message.deduplication_id) == ("a", "1")


def test_what_sqs_refuses_is_one_line(refusal, orders):
    code, line = refusal("send", "orders", "hello", "--delay", "901")
    assert code == 1
    assert line.startswith("InvalidParameterValueException: Value 901 for parameter DelaySeconds is invalid.")


def test_drain_takes_all_visible_messages_and_shows_them(answer, said, kit, sqs, orders):
    for number in range(25):
        sqs.send_message(QueueUrl=orders, MessageBody=str(number))
    assert [message["Body"] for message in answer("drain", "orders")] == [str(number) for number in range(25)]
    assert kit.bodies("orders") == []
    assert said("drain", "orders") == "no messages\n"


# advance, reset, faults


def test_advance_moves_the_clock_of_the_server_or_of_an_account(said, kit, server):
    assert said("advance", "12h") == "2026-01-01 12:00:00.000 UTC, frozen (the server)\n"
    own = said("advance", "500ms", "--account", "111111111111")
    assert own == "2026-01-01 12:00:00.500 UTC, frozen (account 111111111111)\n"
    assert kit.clock.now_ms() == NEW_YEAR_MS + 43_200_000


def test_advance_can_freeze_and_resume(answer, server):
    kit = Kit(server.url, "111111111111")
    assert not answer("advance", "--resume", "--account", "111111111111")["frozen"]
    assert not kit.clock.read().frozen
    assert answer("advance", "1d", "--freeze", "--account", "111111111111")["frozen"]


@pytest.mark.parametrize("text", ["-1", "1w", "h", "1.", "soon", ""])
def test_a_duration_that_is_none_is_refused(refusal, text):
    code, line = refusal("advance", "--", text)
    assert code == 2
    assert f"{text!r} is not a duration such as 500ms, 30s, 15m, 12h or 4d" in line


def test_reset_forgets_all_or_an_account_or_empties_a_queue(said, kit, server, sqs, orders):
    server.client(account="111111111111").create_queue(QueueName="mail")
    sqs.send_message(QueueUrl=orders, MessageBody="hello")
    assert said("reset", "--queue", "orders") == "orders is empty\n"
    assert kit.bodies("orders") == []
    assert said("reset", "--account", "111111111111") == "1 queue forgotten\n"
    assert [queue.name for queue in kit.queues()] == ["orders"]
    sqs.create_queue(QueueName="more")
    assert said("reset") == "2 queues forgotten\n"


def test_faults_are_planned_shown_and_taken_away(said, answer, sqs, orders):
    assert said("faults") == "no faults\n"
    planned = said(
        "faults", "add", "latency", "name=slow", "ms=0", "queue=orders", "actions=SendMessage", "times=2"
    )
    assert rows(planned) == [
        ["FAULT", "KIND", "MATCHED", "ACTED", "RULE"],
        ["slow", "latency", "0", "0", "actions=SendMessage queue=orders times=2 ms=0"],
    ]
    sqs.send_message(QueueUrl=orders, MessageBody="hello")
    (fault,) = answer("faults", "list")
    assert (fault["matched"], fault["acted"]) == (1, 1)
    assert said("faults", "remove", "slow") == "no faults\n"
    assert len(answer("faults", "profile", "aws")) > 3
    assert said("faults", "clear") == "no faults\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("add", "gremlins"), "'gremlins' is no kind of fault"),
        (("add", "latency", "ms"), "'ms' is not NAME=VALUE"),
        (("add",), "faults add needs a KIND"),
        (("add", "throttle", "times=0"), "when.times"),
        (("remove", "nobody"), "nobody"),
        (("profile", "kind"), "aws, hostile, none"),
    ],
)
def test_a_fault_that_does_not_fit_is_refused(refusal, words, complaint):
    code, line = refusal("faults", *words)
    assert code in (1, 2)
    assert complaint in line


# snapshot and restore


def test_a_snapshot_brings_everything_back(said, kit, sqs, orders, tmp_path):
    file = tmp_path / "state.db"
    sqs.send_message(QueueUrl=orders, MessageBody="hello")
    assert said("snapshot", str(file)) == ""
    kit.reset()
    assert said("restore", str(file)) == ""
    assert kit.bodies("orders") == ["hello"]


def test_what_is_no_snapshot_is_refused_and_changes_nothing(refusal, kit, orders, tmp_path):
    file = tmp_path / "state.db"
    file.write_text("hello")
    code, line = refusal("restore", str(file))
    assert code == 1
    assert "is no snapshot" in line
    assert [queue.name for queue in kit.queues()] == ["orders"]


def test_a_snapshot_that_is_refused_leaves_no_file(refusal, tmp_path):
    file = tmp_path / "state.db"
    assert refusal("snapshot", str(file), url="http://127.0.0.1:1")[0] == 3
    assert not file.exists()


# What can go wrong


def test_a_queue_that_is_not_there_is_named(refusal):
    for command in ("peek", "drain", "send"):
        assert refusal(command, "nowhere", *(["x"] if command == "send" else [])) == (
            1,
            "there is no queue nowhere",
        )


def test_without_a_server_the_exit_code_is_3(refusal):
    expected = (3, "no sqs-emulator answers at http://127.0.0.1:1: Connection refused")
    assert refusal("queues", url="http://127.0.0.1:1") == expected


@pytest.mark.parametrize("url", ["127.0.0.1:9324", "ftp://localhost", "http://", "http://localhost:port"])
def test_a_url_that_is_none_is_told(refusal, url):
    assert refusal("queues", url=url) == (3, f"{url!r} is not a URL such as http://127.0.0.1:9324")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("queues", "--account", "12"), "'12' is not an account id of 12 digits"),
        (("queues", "--region", "Mars"), "'Mars' is not the name of a region"),
        (("peek",), "Missing argument 'QUEUE'"),
        (("peek", "q", "--state", "lost"), "'lost' is not one of"),
        (("peep",), "No such command 'peep'"),
    ],
)
def test_a_bad_command_line_is_one_line_with_exit_code_2(refusal, words, complaint):
    code, line = refusal(*words)
    assert code == 2
    assert complaint in line
    assert line.endswith("--help)")


def test_a_reader_that_has_seen_enough_is_no_error(server, sqs, orders):
    for number in range(30):
        sqs.send_message(QueueUrl=orders, MessageBody=str(number) * 10_000)
    command = [sys.executable, "-m", "emulator", "peek", "orders", "--url", server.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().startswith("MESSAGE ID")
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(30) == 0


def test_the_url_option_goes_before_the_environment(call, server):
    assert call("queues", "--url", server.url, url="http://127.0.0.1:1")[0] == 0


def test_serving_loads_no_command_for_people():
    code = "import sys; from emulator.cli import commands; commands.get_command(0, 'serve')"
    code += "; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert not [
        name for name in done.stdout.split() if name.startswith(("emulator.cli_kit", "emulator.testing"))
    ]


def test_help_lists_all_commands_in_one_line_each(said):
    listed = [line.split()[0] for line in said("--help").split("Commands:\n")[1].splitlines()]
    assert listed == [
        "serve", "queues", "peek", "history", "send", "drain",
        "advance", "reset", "faults", "snapshot", "restore",
    ]  # fmt: skip
    assert "..." not in said("--help").split("Commands:\n")[1]
