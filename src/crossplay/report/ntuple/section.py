"""The part of the page about learning 2048."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from crossplay.config import NtupleSettings, NtupleStudy
from crossplay.report.html import figure, fill, table
from crossplay.report.ntuple.results import Learning, Mean
from crossplay.report.ntuple.tables import score_rows

_RULES = {
    "td": "TD({decay:g}), rate {rate:g}",
    "tc": "TC({decay:g}), rate {rate:g}",
    "autostep": "Autostep, meta rate {meta:g}",
}


def build_section(
    study: NtupleStudy, tables: Mapping[str, Sequence[Learning]], figures: Mapping[str, bytes]
) -> str:
    """The HTML of the section.

    Args:
        study: its settings.
        tables: learnings by the title of their table.
        figures: SVG files by name: ntuple_curves.
    """
    several = study.repeats > 1
    gaps = {
        "findings": "".join(f"<p>{line}</p>" for line in _findings(tables)),
        "tables": "".join(
            f"<h3>{escape(title)}</h3>\n{_score_table(learnings)}" for title, learnings in tables.items()
        ),
        "figure": figure(figures["ntuple_curves"], "Mean scores while learning 2048"),
        "band": (
            f"Lines are means of {study.repeats} repeats, bands span the lowest and the highest of them."
            if several
            else "Bands are 95% intervals."
        ),
        "interval": (
            f"It is over {study.repeats} repeats of the learning, so it covers the chance of learning and of"
            " playing."
            if several
            else "It covers the chance of playing, not that of learning again: for that, set ntuple.repeats."
        ),
    }
    return fill("crossplay.report.ntuple", "section.html", gaps)


def _findings(tables: Mapping[str, Sequence[Learning]]) -> Iterable[str]:
    """The best learning of each table, as a sentence."""
    for title, learnings in tables.items():
        parts = []
        sound = [learning for learning in learnings if learning.measured]
        for plies in sorted({number for learning in sound for number in learning.plies}):
            best = max(sound, key=lambda learning: learning.mean(plies).value)
            parts.append(
                f"{'' if len(learnings) == 1 else f'{escape(best.key)} plays best '}"
                f"{_player(plies)}: {_score(best.mean(plies))}"
            )
        yield f"<b>{escape(title)}:</b> {'; '.join(parts) or 'all diverged'}."


def _player(plies: int) -> str:
    return "without search" if plies == 1 else f"with {plies}-ply search"


def _score_table(learnings: Sequence[Learning]) -> str:
    found = {learning.key: score_rows([learning]) for learning in learnings}
    columns = max((row for rows in found.values() for row in rows), key=len)
    tiles = [name for name in columns if name.startswith("reach_")]
    lines = []
    for learning in learnings:
        about = [
            learning.key,
            describe(learning.settings),
            amount(learning.settings.actions),
            duration(learning.cpu_seconds),
        ]
        if diverged := _divergence(learning):
            lines.append((*about, "", diverged, *("" for _ in tiles), "", ""))
            about = [""] * len(about)
        for row in found[learning.key] if learning.measured else ():
            lines.append(
                (
                    *about,
                    f"{row['plies']}-ply",
                    _score(learning.mean(row["plies"])),
                    *(f"{100 * row[name]:.1f}%" for name in tiles),
                    f"{row['best']:,}",
                    f"{row['games']:,}",
                )
            )
            about = [""] * len(about)
    heads = ("run", "learning", "moves", "CPU time", "player", "mean score")
    names = [name.removeprefix("reach_") for name in tiles]
    return table((*heads, *names, "best", "games"), lines, text_columns=2)


def _divergence(learning: Learning) -> str:
    """That repeats diverged, and when, in words; nothing if none did."""
    ends = [run.curve[-1].actions for run in learning.runs if run.diverged]
    if not ends:
        return ""
    some = "" if len(ends) == len(learning.runs) else f"{len(ends)} of {len(learning.runs)} "
    return f"{some}diverged after {amount(min(ends))} moves"


def describe(settings: NtupleSettings) -> str:
    """A learning in a few words, such as ``42-33, delayed TC(0.5), rate 1, 16 stages``."""
    rule = _RULES[settings.rule].format(decay=settings.decay, rate=settings.rate, meta=settings.meta_rate)
    words = [settings.network, f"delayed {rule}" if settings.delayed and settings.decay else rule]
    if settings.stages > 1:
        words.append(f"{settings.stages} stages{'' if settings.promotion else ' without promotion'}")
    if settings.carousel_stages > 1:
        words.append(
            "carousel"
            if settings.carousel_stages == settings.stages
            else f"carousel of {settings.carousel_stages} stages"
        )
    if settings.optimistic:
        words.append(f"from values of {settings.optimistic:,.0f}")
    if settings.initial:
        words.append(f"after {settings.initial}")
    return ", ".join(words)


def amount(number: int) -> str:
    """A number in words where it is large: ``40 million``, ``20,000``."""
    for unit, name in ((10**9, "billion"), (10**6, "million")):
        if number >= unit:
            return f"{number / unit:.4g} {name}"
    return f"{number:,}"


def duration(seconds: float) -> str:
    """A time in words: ``48 s``, ``12.5 min``, ``3.2 h``."""
    if seconds < 100:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.1f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _score(mean: Mean) -> str:
    return f"{mean.value:,.0f} [{mean.low:,.0f}, {mean.high:,.0f}]"
