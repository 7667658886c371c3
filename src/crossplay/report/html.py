"""Pieces of a page: tables, figures, lists."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from string import Template
from typing import Any


def fill(package: str, name: str, gaps: Mapping[str, Any]) -> str:
    """The text of a package's HTML file with its gaps (``$name``) filled."""
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return Template(text).substitute(gaps)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int) -> str:
    """A table of texts; the first ``text_columns`` are aligned left, numbers right."""

    def line(cells: Sequence[str], tag: str) -> str:
        kinds = [' class="text"' if number < text_columns else "" for number in range(len(cells))]
        parts = [f"<{tag}{kind}>{escape(cell)}</{tag}>" for cell, kind in zip(cells, kinds, strict=True)]
        return f"<tr>{''.join(parts)}</tr>\n"

    body = "".join(line(row, "td") for row in rows)
    return f'<div class="scroll"><table>\n{line(heads, "th")}{body}</table></div>'


def figure(svg: bytes, description: str) -> str:
    """An SVG picture inside the page."""
    data = base64.b64encode(svg).decode()
    return f'<figure><img alt="{escape(description)}" src="data:image/svg+xml;base64,{data}"></figure>'


def listing(items: Iterable[str]) -> str:
    """Words as a list in a sentence: ``a, b and c``."""
    items = list(items)
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
