import msgspec
import pytest

from emulator.cli import load_settings
from emulator.settings import SETTINGS, Settings, StartError


def test_the_table_and_the_struct_have_the_same_names_and_defaults():
    fields = {field.name: field.default for field in msgspec.structs.fields(Settings)}
    assert fields == {setting.name: setting.default for setting in SETTINGS} | {"queues": (), "faults": ()}


def test_flags_and_variables_are_named_after_their_setting():
    for setting in SETTINGS:
        assert setting.environment == "SQS_EMULATOR_" + setting.name.upper()
        expected = {"log_format": "--log-json", "cooldowns": "--no-cooldowns", "admin": "--no-admin"}
        assert setting.flag == expected.get(setting.name, "--" + setting.name.replace("_", "-"))


def test_without_flags_environment_and_config_file_the_defaults_hold():
    assert load_settings({}, {}) == Settings()


def test_a_flag_goes_before_the_environment_before_the_config_file_before_the_default(tmp_path):
    config = tmp_path / "sqs.yaml"
    config.write_text("region: eu-west-1\naccount: 111111111111\nport: 1111\n")
    environment = {
        "SQS_EMULATOR_CONFIG": str(config),
        "SQS_EMULATOR_PORT": "2222",
        "SQS_EMULATOR_ACCOUNT": "222222222222",
    }
    settings = load_settings({"port": "3333"}, environment)
    assert (settings.port, settings.account, settings.region) == (3333, "222222222222", "eu-west-1")
    assert settings.host == "127.0.0.1"


def test_the_flag_for_the_config_file_goes_before_its_variable(tmp_path):
    (tmp_path / "a.yaml").write_text("port: 1\n")
    (tmp_path / "b.yaml").write_text("port: 2\n")
    flags = {"config": str(tmp_path / "a.yaml")}
    assert load_settings(flags, {"SQS_EMULATOR_CONFIG": str(tmp_path / "b.yaml")}).port == 1


def test_an_empty_variable_counts_as_not_set():
    assert load_settings({}, {"SQS_EMULATOR_PORT": "", "SQS_EMULATOR_DATA": ""}) == Settings()


def test_the_port_that_kubernetes_announces_for_a_service_is_not_taken_for_the_setting():
    assert load_settings({}, {"SQS_EMULATOR_PORT": "tcp://10.0.0.1:9324"}).port == 9324
    assert load_settings({}, {"SQS_EMULATOR_ADMIN_PORT": "tcp://10.0.0.1:9325"}).admin_port is None


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("port", "0", 0),
        ("cooldowns", "no", False),
        ("cooldowns", "TRUE", True),
        ("region_in_urls", "1", True),
        ("log_level", "INFO", "info"),
        ("log_format", "json", "json"),
        ("base_url", "https://sqs.example.com/", "https://sqs.example.com"),
        ("region", "us-gov-west-1", "us-gov-west-1"),
    ],
)
def test_a_variable_is_read_as(name, text, value):
    settings = load_settings({}, {f"SQS_EMULATOR_{name.upper()}": text})
    assert getattr(settings, name) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("host", " "),
        ("port", "65536"),
        ("port", "-1"),
        ("port", "1e3"),
        ("port", "²"),
        ("port", "9" * 5000),
        ("account", "12345"),
        ("region", "us east"),
        ("log_level", "loud"),
        ("log_format", "xml"),
        ("base_url", "localhost:9324"),
        ("base_url", "http://"),
        ("max_body_bytes", "0"),
        ("cooldowns", "maybe"),
        ("in_flight_limit", "0"),
    ],
)
def test_a_bad_value_is_refused_with_the_name_of_its_source(name, text):
    with pytest.raises(StartError, match=f"^SQS_EMULATOR_{name.upper()}: "):
        load_settings({}, {f"SQS_EMULATOR_{name.upper()}": text})
