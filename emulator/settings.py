"""Every setting, once: its name, environment variable, flag, what values it takes, default and help line.

The command line, the environment and the config file all read this table; docs/settings.md lists it.
"""

import re
from collections.abc import Callable, Mapping

import msgspec

Value = str | int | bool
Reader = Callable[[str], Value]
"""Turns a setting's text into its value, or raises ValueError saying what is wrong with the text."""


class StartError(Exception):
    """Why the server cannot start: one clear line for each reason. The exit code is 2."""


class RedriveDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    to: str
    """The name of the dead-letter queue, declared in the same file."""
    max_receive_count: int


class QueueDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """One queue of the config file. Attributes carry AWS's names and are AWS's strings."""

    name: str
    attributes: dict[str, str] = {}
    tags: dict[str, str] = {}
    redrive: RedriveDeclaration | None = None
    file: str
    lines: dict[str, int]
    """Where each key stands: "name", "attributes.DelaySeconds", "tags.team", "redrive", "redrive.to", …"""

    def where(self, key: str) -> str:
        """`FILE:LINE: key`, the start of a message about this key."""
        return f"{self.file}:{self.lines.get(key, self.lines['name'])}: queues.{self.name}.{key}"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    host: str = "127.0.0.1"
    port: int = 9324
    data: str | None = None
    postgres_schema: str = "sqs_emulator"
    postgres_connections: int = 16
    config: str | None = None
    account: str = "000000000000"
    region: str = "us-east-1"
    log_level: str = "warning"
    log_format: str = "text"
    base_url: str | None = None
    region_in_urls: bool = False
    max_body_bytes: int = 8_388_608
    cooldowns: bool = True
    in_flight_limit: int = 120_000
    fifo_quotas: bool = False
    journal_size: int = 10_000
    requests_kept: int = 500
    admin: bool = True
    admin_port: int | None = None
    faults_profile: str = "none"
    seed: int | None = None
    queues: tuple[QueueDeclaration, ...] = ()
    """From the config file only."""
    faults: tuple[str, ...] = ()
    """From the config file only: rules of planned misbehaviour, as JSON that was checked."""


def any_text(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


def whole_number(low: int, high: int) -> Reader:
    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,18}", text) or not low <= int(text) <= high:
            raise ValueError(f"{text!r} is not a whole number from {low} to {high}")
        return int(text)

    return read


def one_of(*choices: str) -> Reader:
    def read(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError(f"{text!r} is none of {', '.join(choices)}")
        return text.lower()

    return read


def yes_or_no(text: str) -> bool:
    if text.lower() in {"true", "yes", "on", "1"}:
        return True
    if text.lower() in {"false", "no", "off", "0"}:
        return False
    raise ValueError(f"{text!r} is neither true nor false")


def account_id(text: str) -> str:
    if not re.fullmatch("[0-9]{12}", text):
        raise ValueError(f"{text!r} is not an account id of 12 digits")
    return text


def region_name(text: str) -> str:
    if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", text):
        raise ValueError(f"{text!r} is not the name of a region, such as us-east-1")
    return text


def schema_name(text: str) -> str:
    if not re.fullmatch("[a-z_][a-z0-9_]{0,62}", text) or text.startswith("pg_"):
        raise ValueError(
            f"{text!r} is not the name of a schema: a to z, 0 to 9 and _, not pg_… and no digit first"
        )
    return text


def http_url(text: str) -> str:
    if not re.fullmatch(r"https?://[^\s/?#]+(/[^\s?#]*)?", text):
        raise ValueError(f"{text!r} is not a URL such as http://localhost:9324")
    return text.rstrip("/")


class Setting(msgspec.Struct, frozen=True):
    name: str
    environment: str
    flag: str
    read: Reader
    default: Value | None
    help: str
    takes: str = ""
    """What stands for the value in the help text; empty for a flag that takes none."""
    flag_means: str = ""
    """The value that a flag without one stands for."""


SETTINGS: tuple[Setting, ...] = (
    Setting("host", "SQS_EMULATOR_HOST", "--host", any_text, "127.0.0.1",
            "Address to listen on; 0.0.0.0 for all.", "ADDRESS"),
    Setting("port", "SQS_EMULATOR_PORT", "--port", whole_number(0, 65_535), 9324,
            "Port to listen on; 0 picks a free one.", "PORT"),
    Setting("data", "SQS_EMULATOR_DATA", "--data", any_text, None,
            "File, or postgresql:// URL, that keeps queues and messages; without it they live in memory.",
            "FILE"),
    Setting("postgres_schema", "SQS_EMULATOR_POSTGRES_SCHEMA", "--postgres-schema", schema_name,
            "sqs_emulator", "Schema of the PostgreSQL database, made if it is not there.", "NAME"),
    Setting("postgres_connections", "SQS_EMULATOR_POSTGRES_CONNECTIONS", "--postgres-connections",
            whole_number(2, 1_000), 16,
            "Largest number of connections to PostgreSQL, without the one that listens.", "COUNT"),
    Setting("config", "SQS_EMULATOR_CONFIG", "--config", any_text, None,
            "YAML file with settings and with queues to create at start.", "FILE"),
    Setting("account", "SQS_EMULATOR_ACCOUNT", "--account", account_id, "000000000000",
            "Account of callers whose access key id is not an account id of 12 digits.", "ID"),
    Setting("region", "SQS_EMULATOR_REGION", "--region", region_name, "us-east-1",
            "Region of callers whose request names none.", "NAME"),
    Setting("log_level", "SQS_EMULATOR_LOG_LEVEL", "--log-level",
            one_of("debug", "info", "warning", "error"), "warning",
            "What is logged: debug, info (each request), warning or error.", "LEVEL"),
    Setting("log_format", "SQS_EMULATOR_LOG_FORMAT", "--log-json", one_of("text", "json"), "text",
            "Log JSON lines instead of text.", flag_means="json"),
    Setting("base_url", "SQS_EMULATOR_BASE_URL", "--base-url", http_url, None,
            "Start of every queue URL; without it, scheme and Host of the request that asks.", "URL"),
    Setting("region_in_urls", "SQS_EMULATOR_REGION_IN_URLS", "--region-in-urls", yes_or_no, False,
            "Queue URLs of regions other than the default one name their region: /queue/REGION/ACCOUNT/NAME.",
            flag_means="true"),
    Setting("max_body_bytes", "SQS_EMULATOR_MAX_BODY_BYTES", "--max-body-bytes",
            whole_number(1, 2**31), 8_388_608,
            "Largest request body that is read; a larger one is answered with 413.", "BYTES"),
    Setting("cooldowns", "SQS_EMULATOR_COOLDOWNS", "--no-cooldowns", yes_or_no, True,
            "Purge again, and create a queue just deleted, without waiting 60 s as on AWS.",
            flag_means="false"),
    Setting("in_flight_limit", "SQS_EMULATOR_IN_FLIGHT_LIMIT", "--in-flight-limit",
            whole_number(1, 2**31), 120_000,
            "How many messages of one queue may be in flight.", "COUNT"),
    Setting("fifo_quotas", "SQS_EMULATOR_FIFO_QUOTAS", "--fifo-quotas", yes_or_no, False,
            "Throttle calls to FIFO queues at AWS's rates, such as 300 a second for each action.",
            flag_means="true"),
    Setting("journal_size", "SQS_EMULATOR_JOURNAL_SIZE", "--journal-size", whole_number(0, 10**9), 10_000,
            "How many events of messages are kept to be asked for; 0 records none.", "EVENTS"),
    Setting("requests_kept", "SQS_EMULATOR_REQUESTS_KEPT", "--requests-kept", whole_number(0, 10**6), 500,
            "How many of the last requests are kept, with their answers, for the console; 0 keeps none.",
            "REQUESTS"),
    Setting("admin", "SQS_EMULATOR_ADMIN", "--no-admin", yes_or_no, True,
            "Answer AWS requests, health and readiness only: no test kit, no developer endpoints.",
            flag_means="false"),
    Setting("admin_port", "SQS_EMULATOR_ADMIN_PORT", "--admin-port", whole_number(0, 65_535), None,
            "Port of its own for the test kit; 0 picks a free one. Without it, it shares the port.", "PORT"),
    Setting("faults_profile", "SQS_EMULATOR_FAULTS_PROFILE", "--faults-profile",
            one_of("none", "aws", "hostile"), "none",
            "Misbehave as AWS documents (aws), or as badly as it allows (hostile).", "NAME"),
    Setting("seed", "SQS_EMULATOR_SEED", "--seed", whole_number(0, 10**18 - 1), None,
            "Draw ids and planned misbehaviour from this number: the same calls give the same answers.",
            "NUMBER"),
)  # fmt: skip


def from_flags(given: Mapping[str, str]) -> dict[str, Value]:
    """Values of the flags that were given, by setting."""
    return {s.name: _read(s, s.flag, given[s.name]) for s in SETTINGS if s.name in given}


def from_environment(environment: Mapping[str, str]) -> dict[str, Value]:
    """Values of the variables that are set; an empty one counts as not set, as in compose files."""
    values: dict[str, Value] = {}
    for setting in SETTINGS:
        text = environment.get(setting.environment, "")
        # Kubernetes gives SQS_EMULATOR_PORT=tcp://… to every container beside a service named sqs-emulator.
        if text and not (setting.takes == "PORT" and text.startswith("tcp://")):
            values[setting.name] = _read(setting, setting.environment, text)
    return values


def _read(setting: Setting, spelling: str, text: str) -> Value:
    try:
        return setting.read(text)
    except ValueError as error:
        raise StartError(f"{spelling}: {error}") from None
