"""A click group whose commands are imported when they are asked for, and its one place for errors."""

from __future__ import annotations

import errno
import importlib
from typing import IO, Any

import click

from crossplay.errors import CrossplayError


class Fault(click.ClickException):
    """What the user can mend: one line on standard error and exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"error: {self.format_message()}", file=file, err=file is None)


class LazyGroup(click.Group):
    """A group that is given its commands as ``{name: "module:attribute"}``."""

    def __init__(self, *args: Any, lazy: dict[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module, attribute = self._lazy[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


class MainGroup(LazyGroup):
    """The top group: turns every fault of the user's into one line."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        try:
            return super().make_context(*args, **kwargs)
        except click.UsageError as error:
            raise _usage_fault(error) from error

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except CrossplayError as error:
            raise Fault(str(error)) from error
        except click.UsageError as error:
            raise _usage_fault(error) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # the reader of our output has left: click ends quietly
            place = f"{error.filename}: " if error.filename else ""
            raise Fault(f"{place}{error.strerror or error}") from error


def _usage_fault(error: click.UsageError) -> Fault:
    path = error.ctx.command_path if error.ctx else "crossplay"
    return Fault(f"{' '.join(error.format_message().split())} See '{path} --help'.")
