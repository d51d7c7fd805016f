"""What can be said of the Docker files without a Docker engine: that they fit the project and each other."""

import json
import re
import shlex
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from emulator.config_file import read_config_file
from emulator.settings import SETTINGS
from tests.cli.servers import running

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICE = COMPOSE["services"]["sqs"]
CLUSTER = yaml.safe_load((ROOT / "docker-compose.cluster.yml").read_text(encoding="utf-8"))
NODES = ["node-1", "node-2", "node-3"]


def instructions(name):
    return re.findall(rf"^{name}\s+(.*)$", DOCKERFILE, re.MULTILINE)


def image_environment():
    return dict(word.split("=", 1) for line in instructions("ENV") for word in shlex.split(line))


def test_what_the_image_copies_exists_and_is_sent_to_the_builder():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for line in instructions("COPY"):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists()
            assert f"!{source}" in ignored


def test_the_image_does_not_run_as_root():
    assert instructions("USER") == ["emulator"]


def test_the_images_command_and_environment_are_those_of_the_emulator():
    assert json.loads(instructions("ENTRYPOINT")[0]) == ["sqs-emulator"]
    assert json.loads(instructions("CMD")[0]) == ["serve"]
    environment = image_environment()
    known = {setting.environment for setting in SETTINGS}
    assert {name for name in environment if name.startswith("SQS_EMULATOR")} <= known
    assert environment["SQS_EMULATOR_HOST"] == "0.0.0.0"
    assert environment["SQS_EMULATOR_DATA"].startswith(instructions("VOLUME")[0] + "/")


def test_the_health_check_succeeds_while_the_emulator_runs_and_fails_otherwise(monkeypatch):
    probe = re.search(r"^HEALTHCHECK .*?CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert probe
    program, flag, code = json.loads(probe[1])
    assert (program, flag) == ("python", "-c")
    with running() as server:
        monkeypatch.setenv("SQS_EMULATOR_PORT", str(server.port))
        exec(code, {})
        server.stop()
    with pytest.raises(OSError, match="refused"):
        exec(code, {})


def test_the_compose_file_mounts_files_that_exist_and_volumes_it_declares():
    for volume in SERVICE["volumes"]:
        source = volume.split(":")[0]
        assert (ROOT / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]
    assert SERVICE["volumes"][0].split(":")[1] == instructions("VOLUME")[0]


def test_the_compose_file_publishes_the_port_of_the_image():
    assert [port.split(":")[-1] for port in SERVICE["ports"]] == instructions("EXPOSE") == ["9324"]


def test_the_config_file_of_the_compose_file_is_mounted_and_valid():
    config = SERVICE["environment"]["SQS_EMULATOR_CONFIG"]
    (mounted,) = [volume for volume in SERVICE["volumes"] if volume.split(":")[1] == config]
    assert read_config_file(str(ROOT / mounted.split(":")[0])).queues


def test_the_nodes_of_the_cluster_name_both_databases_and_take_the_one_that_writes():
    known = {setting.environment for setting in SETTINGS}
    for name in NODES:
        environment = CLUSTER["services"][name]["environment"]
        assert set(environment) <= known
        url = urlsplit(environment["SQS_EMULATOR_DATA"])
        hosts = [host.split(":")[0] for host in url.netloc.split("@")[1].split(",")]
        assert set(hosts) <= set(CLUSTER["services"])
        assert parse_qs(url.query) == {"target_session_attrs": ["read-write"]}


def test_the_image_has_what_the_cluster_needs():
    assert any("[postgres]" in line for line in instructions("RUN"))


def test_the_balancer_of_the_cluster_knows_all_nodes_and_answers_on_the_usual_port():
    config = CLUSTER["configs"]["balancer"]["content"]
    assert re.findall(r"server (\S+):(\d+)", config) == [(name, instructions("EXPOSE")[0]) for name in NODES]
    (port,) = CLUSTER["services"]["balancer"]["ports"]
    assert port.split(":")[:2] == ["127.0.0.1", instructions("EXPOSE")[0]]


def test_a_promoted_standby_of_the_cluster_waits_for_no_standby():
    (command,) = CLUSTER["services"]["standby"]["command"]
    assert command.rstrip().endswith("-c synchronous_standby_names=")
