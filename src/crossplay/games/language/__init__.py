"""The language of game descriptions: text of a ``.lud`` file -> tree of ludemes."""

from crossplay.games.language.description import (
    Description,
    ExpandedDescription,
    load_description,
    parse_description,
)
from crossplay.games.language.nodes import (
    Argument,
    Array,
    Boolean,
    Ludeme,
    Node,
    Number,
    Position,
    Range,
    Symbol,
    Text,
    children,
    head,
    to_text,
    walk,
)
from crossplay.games.language.options import OptionHeading, OptionItem, Ruleset
from crossplay.games.language.parser import parse

__all__ = [
    "Argument",
    "Array",
    "Boolean",
    "Description",
    "ExpandedDescription",
    "Ludeme",
    "Node",
    "Number",
    "OptionHeading",
    "OptionItem",
    "Position",
    "Range",
    "Ruleset",
    "Symbol",
    "Text",
    "children",
    "head",
    "load_description",
    "parse",
    "parse_description",
    "to_text",
    "walk",
]
