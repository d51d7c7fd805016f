import re
from pathlib import Path

import pytest

from emulator.config_file import read_config_file
from emulator.settings import SETTINGS

PAGE = (Path(__file__).parents[2] / "docs/settings.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if "SQS_EMULATOR" in line
]


def test_the_page_lists_the_settings_in_the_order_of_the_table():
    assert [row[2] for row in ROWS] == [f"`{setting.environment}`" for setting in SETTINGS]


@pytest.mark.parametrize("number", range(len(SETTINGS)), ids=[setting.name for setting in SETTINGS])
def test_each_setting_has_its_name_flag_and_default_on_the_page(number):
    setting, (name, flag, _, default, _) = SETTINGS[number], ROWS[number]
    assert name == ("none" if setting.name == "config" else f"`{setting.name}`")
    assert flag == f"`{f'{setting.flag} {setting.takes}'.strip()}`"
    spelled = str(setting.default).lower() if isinstance(setting.default, bool) else setting.default
    assert default == ("none" if spelled is None else f"`{spelled}`")


def test_the_config_file_on_the_page_is_valid(tmp_path):
    (example,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    path = tmp_path / "sqs.yaml"
    path.write_text(example, encoding="utf-8")
    config = read_config_file(str(path))
    assert config.values == {"port": 9555, "account": "123456789012"}
    assert [queue.name for queue in config.queues] == ["orders", "orders-dlq"]
