"""Reading settings, with one line that names the key when something is wrong."""

from __future__ import annotations

import contextlib
import difflib
import json
import re
import typing
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from crossplay.config.base import Settings
from crossplay.errors import CrossplayError

SettingsType = TypeVar("SettingsType", bound=Settings)


def parse_settings(model: type[SettingsType], text_or_path: str | Path) -> SettingsType:
    """Read settings from a YAML or JSON file, or from JSON text that begins with ``{``.

    Raises:
        CrossplayError: one line with the file (or "settings"), the key, and what is valid there.
    """
    text = str(text_or_path)
    if text.lstrip().startswith("{"):
        try:
            data = json.loads(text)  # to YAML 1e-05, as JSON writes it, would be text
        except ValueError:
            data = _load_yaml(text, "settings")
        return check_settings(model, data, "settings")
    try:
        content = Path(text).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise CrossplayError(f"{text}: cannot read settings: {reason}") from error
    return check_settings(model, _load_yaml(content, text), text)


def check_settings(model: type[SettingsType], data: Any, origin: str) -> SettingsType:
    """Validate plain data (as from YAML) strictly; ``origin`` names it in errors."""
    if not isinstance(data, dict):
        raise CrossplayError(f"{origin}: must hold keys and values, not {_type_name(data)}")
    try:
        # Through JSON, so that text is never taken for a number and lists become tuples.
        return model.model_validate_json(json.dumps(data), strict=True)
    except (TypeError, ValueError) as error:
        if isinstance(error, ValidationError):
            raise CrossplayError(_first_fault(model, error, origin)) from error
        raise CrossplayError(f"{origin}: holds a value that is no text, number, list or mapping") from error


def _load_yaml(text: str, origin: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{origin}:{mark.line + 1}:{mark.column + 1}" if mark else origin
        raise CrossplayError(
            f"{place}: not valid YAML: {getattr(error, 'problem', None) or 'unreadable'}"
        ) from error


# The end of the place of a fault: a kind of value instead of a key.
_KIND = re.compile(r"(constrained-)?(int|float|str)|literal\[.*\]")


def _first_fault(model: type[Settings], error: ValidationError, origin: str) -> str:
    faults = _with_alternatives(error.errors(include_url=False))
    fault = faults[0]
    where = ".".join(str(part) for part in fault["loc"] if part != "[key]")
    # Our own checks name the key within their section themselves.
    joint = "" if not where else "." if fault["type"] == "value_error" else ": "
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{origin}: {where}{joint}{_explain(model, fault)}{more}"


def _with_alternatives(faults: list[ErrorDetails]) -> list[ErrorDetails]:
    """The faults, those of one value that may be of several kinds as one."""
    joined: list[ErrorDetails] = []
    for fault in faults:
        before = joined[-1] if joined else None
        # Pydantic puts the kind at the end of the place.
        kind = str(fault["loc"][-1]) if fault["loc"] else ""
        if before and _KIND.fullmatch(kind) and before["loc"][:-1] == fault["loc"][:-1]:
            message = f"{before['msg']} or {fault['msg'].removeprefix('Input should ')}"
            joined[-1] = {**before, "loc": fault["loc"][:-1], "msg": message, "type": "alternatives"}
        else:
            joined.append(fault)
    return joined


def _explain(model: type[Settings], fault: ErrorDetails) -> str:
    """What is wrong with one value, in words of the configuration rather than of pydantic."""
    kind, value = fault["type"], fault["input"]
    if kind == "extra_forbidden":
        section = _section(model, fault["loc"][:-1])
        keys = list(section.model_fields) if section else []
        return f"unknown key{close_matches(str(fault['loc'][-1]), keys)}"
    if kind == "missing":
        return "missing"
    if kind == "value_error":
        return fault["msg"].removeprefix("Value error, ")
    message = re.sub(r"^(Input|String|Tuple|Dictionary) should", "must", fault["msg"])
    if isinstance(value, dict):
        return message
    if isinstance(value, str) and kind in ("float_type", "int_type"):
        with contextlib.suppress(ValueError):  # YAML reads 3e-3, with no dot, as text
            number = f"{float(value):g}"
            if "e" in number and "." not in number:
                number = number.replace("e", ".0e")
            return f"{message}, got the text {value!r} (write {number})"
    return f"{message}, got {json.dumps(value, default=str)}"


def _section(model: type[Settings], path: tuple[int | str, ...]) -> type[Settings] | None:
    """The model that describes the section at ``path``."""
    current: Any = model
    for part in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            if part not in current.model_fields:
                return None
            current = current.model_fields[str(part)].annotation
        else:  # a mapping of sections, such as games
            arguments = typing.get_args(current)
            current = arguments[-1] if arguments else None
    return current if isinstance(current, type) and issubclass(current, Settings) else None


def close_matches(word: str, known: typing.Iterable[str]) -> str:
    """How to go on after a wrong word: close matches, or all that is valid."""
    known = list(known)
    if matches := difflib.get_close_matches(word, known, n=3):
        return f"; did you mean {' or '.join(matches)}?"
    return f"; known: {', '.join(known)}" if known else ""


def _type_name(value: Any) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
