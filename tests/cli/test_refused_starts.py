"""Each reason not to start: one clear line on stderr, nothing on stdout, exit code 2."""

import socket
import sqlite3

import pytest

from tests.cli.servers import refusal, run, running


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--prt", "1"], "No such option '--prt'. Did you mean '--port'? (try: sqs-emulator serve --help)"),
        (["now"], "Got unexpected extra argument (now) (try: sqs-emulator serve --help)"),
        (["--port", "high"], "--port: 'high' is not a whole number from 0 to 65535"),
        (["--port", "99999"], "--port: '99999' is not a whole number from 0 to 65535"),
        (["--account", "me"], "--account: 'me' is not an account id of 12 digits"),
        (["--log-level", "loud"], "--log-level: 'loud' is none of debug, info, warning, error"),
        (["--base-url", "sqs"], "--base-url: 'sqs' is not a URL such as http://localhost:9324"),
    ],
)
def test_a_bad_flag(flags, complaint):
    assert refusal(*flags) == complaint + "\n"


def test_a_flag_without_its_value():
    assert refusal("--port").startswith("Option '--port' requires an argument")


def test_a_command_that_does_not_exist():
    code, said, complaint = run("server")
    assert (code, said) == (2, "")
    assert complaint.startswith("No such command 'server'")
    assert complaint.count("\n") == 1


def test_no_command_at_all():
    assert run() == (2, "", "Missing command. (try: sqs-emulator --help)\n")


def test_a_bad_environment_variable():
    complaint = refusal(SQS_EMULATOR_PORT="high")
    assert complaint == "SQS_EMULATOR_PORT: 'high' is not a whole number from 0 to 65535\n"


def test_a_port_in_use():
    with running() as server:
        where = f"cannot listen on 127.0.0.1, port {server.port}"
        complaint = refusal("--port", str(server.port))
        assert complaint == f"{where}: Address already in use (see --host and --port)\n"


def test_a_port_in_use_leaves_the_data_file_alone(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        refusal("--port", str(listener.getsockname()[1]), "--data", "sqs.db", cwd=tmp_path)
    assert not (tmp_path / "sqs.db").exists()


def test_a_host_that_is_not_ours():
    complaint = refusal("--host", "192.0.2.1", "--port", "0")
    assert complaint.startswith("cannot listen on 192.0.2.1, port 0: ")
    assert complaint.count("\n") == 1


def test_a_config_file_that_is_not_there(tmp_path):
    complaint = refusal("--config", "nowhere.yaml", cwd=tmp_path)
    assert complaint == "nowhere.yaml: cannot be read: No such file or directory\n"


def test_mistakes_in_the_config_file_are_all_reported_with_file_line_and_key(tmp_path):
    (tmp_path / "sqs.yaml").write_text("port: x\nqueues:\n  - name: a\n    tag: {}\n")
    assert refusal("--config", "sqs.yaml", cwd=tmp_path).splitlines() == [
        "sqs.yaml:1: port: 'x' is not a whole number from 0 to 65535",
        "sqs.yaml:4: queues.a.tag: unknown key; known are name, attributes, tags and redrive",
    ]


QUEUES = """queues:
  - name: orders
    attributes:
      DelaySeconds: 5
      VisibilityTimeout: 99999
  - name: mail
    attributes:
      Colour: red
  - name: not a name
"""


def test_what_sqs_refuses_in_a_declared_queue_is_reported_with_file_line_and_key(tmp_path):
    (tmp_path / "sqs.yaml").write_text(QUEUES)
    complaints = refusal("--port", "0", "--config", "sqs.yaml", cwd=tmp_path).splitlines()
    assert [complaint.split(": ")[:2] for complaint in complaints] == [
        ["sqs.yaml:5", "queues.orders.attributes.VisibilityTimeout"],
        ["sqs.yaml:8", "queues.mail.attributes.Colour"],
        ["sqs.yaml:9", "queues.not a name.name"],
    ]


def test_a_redrive_that_sqs_refuses_is_reported_at_its_key(tmp_path):
    text = "queues:\n  - name: orders\n    redrive: {to: dead.fifo, max_receive_count: 3}\n"
    (tmp_path / "sqs.yaml").write_text(text + "  - {name: dead.fifo, attributes: {FifoQueue: true}}\n")
    complaint = refusal("--port", "0", "--config", "sqs.yaml", cwd=tmp_path)
    assert complaint.startswith("sqs.yaml:3: queues.orders.redrive: ")


def foreign_database(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE diary (day TEXT)")
    database.close()


def damaged_database(path):
    with running("--data", str(path)) as server:
        server.call("CreateQueue", QueueName="orders")
        server.stop()
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def newer_database(path):
    with running("--data", str(path)) as server:
        server.stop()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 9999")
    database.close()


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_text("dear diary\n" * 1000),
        foreign_database,
        damaged_database,
        newer_database,
    ],
    ids=["no database", "a database of another program", "a database cut short", "a newer database"],
)
def test_a_data_file_that_is_not_ours_to_use_is_refused_and_left_as_it_is(tmp_path, make):
    path = tmp_path / "sqs.db"
    make(path)
    before = path.read_bytes()
    complaint = refusal("--port", "0", "--data", "sqs.db", cwd=tmp_path)
    assert complaint.startswith("sqs.db ")
    assert complaint.count("\n") == 1
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["sqs.db"]


def test_a_data_file_in_a_folder_that_does_not_exist(tmp_path):
    complaint = refusal("--port", "0", "--data", "nowhere/sqs.db", cwd=tmp_path)
    assert complaint.startswith("nowhere/sqs.db ")
    assert complaint.count("\n") == 1


def test_a_folder_in_place_of_a_data_file(tmp_path):
    complaint = refusal("--port", "0", "--data", str(tmp_path))
    assert complaint.startswith(f"{tmp_path} ")
    assert complaint.count("\n") == 1
