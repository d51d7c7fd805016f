"""The command `sqs-emulator`: flags and environment become Settings, a reason not to start one line."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

import click
import msgspec

from emulator import __version__
from emulator.settings import SETTINGS, Setting, Settings, StartError, from_environment, from_flags


def main() -> NoReturn:
    try:
        sys.exit(commands.main(prog_name="sqs-emulator", standalone_mode=False))
    except click.ClickException as error:
        # click would spread it over several lines; a bad flag gets one, like any other reason not to start.
        hint = (
            f" (try: {error.ctx.command_path} --help)"
            if isinstance(error, click.UsageError) and error.ctx
            else ""
        )
        _fail(error.format_message() + hint, error.exit_code)
    except StartError as error:
        _fail(str(error))
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)


def load_settings(flags: Mapping[str, str], environment: Mapping[str, str]) -> Settings:
    """The first of flag, environment, config file and default that says something."""
    chosen = from_environment(environment) | from_flags(flags)
    config = chosen.get("config")
    if config is None:
        return msgspec.convert(chosen, Settings)
    from emulator.config_file import read_config_file  # here, because most starts need none

    file = read_config_file(str(config))
    return msgspec.convert(file.values | chosen | {"queues": file.queues, "faults": file.faults}, Settings)


class Commands(click.Group):
    """Those that ask a running emulator are loaded when they are named: `serve` needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *_kit_commands()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _kit_commands().get(cmd_name)


def _kit_commands() -> dict[str, click.Command]:
    from emulator.cli_kit import COMMANDS

    return COMMANDS


@click.group(cls=Commands, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def commands() -> None:
    """An Amazon SQS emulator: the same answers, on your own machine."""


def _serve(**flags: str | None) -> None:
    """Run one server until SIGTERM or Ctrl-C.

    Each flag has an environment variable and a key of the same name in the config file. A flag goes before
    the environment, the environment before the config file.
    """
    settings = load_settings({name: text for name, text in flags.items() if text is not None}, os.environ)
    from emulator.serve import serve  # here, because --help needs no server

    serve(settings, announce=_say)


def _option(setting: Setting) -> click.Option:
    about = f"{setting.help}  [{setting.environment}"
    about += f"; default: {setting.default}]" if setting.takes and setting.default is not None else "]"
    takes: dict[str, Any] = (
        {"metavar": setting.takes} if setting.takes else {"is_flag": True, "flag_value": setting.flag_means}
    )
    # Text only: the settings table reads it, so that a bad value gets the same words from every source.
    return click.Option([setting.flag, setting.name], type=str, default=None, help=about, **takes)


commands.add_command(
    click.Command(
        "serve", callback=_serve, params=[_option(setting) for setting in SETTINGS], help=_serve.__doc__
    )
)


def _say(line: str) -> None:
    # Whoever started us may read the first line only, or nothing: that is no reason to stop serving.
    with suppress(OSError):
        click.echo(line)


def _fail(text: str, code: int = 2) -> NoReturn:
    click.echo(text, err=True)
    sys.exit(code)
