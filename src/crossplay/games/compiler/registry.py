"""The dispatcher: which function compiles which ludeme, and what those functions build with.

A ludeme is compiled by a function registered under its name and keyword (``(is Line ...)`` is
``("is", "Line")``). What nobody registered is refused by name and line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from crossplay.games.compiler.actions import Actions
from crossplay.games.compiler.directions import Directions, read_directions
from crossplay.games.compiler.kinds import Kinds
from crossplay.games.compiler.model import GameModel, ludemes, malformed, only_labels, refuse
from crossplay.games.compiler.regions import Region, union
from crossplay.games.compiler.scope import CONTEXT, LIST_CONTEXT, Moves, Scope, indent, lines
from crossplay.games.compiler.source import KernelSource
from crossplay.games.language import Array, Boolean, Ludeme, Node, Number, Symbol, Text

# The scope of a decision's body and consequences: what the move itself says.
MOVED = Scope("origin", "to", "extra")
# Ludemes whose first symbol says which of several they are.
_KEYWORDED = {"is", "move", "sites", "count", "last", "forEach", "set", "no", "can", "all", "place", "size"}

Key = tuple[str, str | None]
F = TypeVar("F", bound=Callable[..., object])

_REGISTRIES: dict[str, dict[Key, Callable[..., object]]] = {
    sort: {}
    for sort in ("integer", "boolean", "region", "effect", "moves", "result", "meta", "start", "capped")
}


def _registrar(sort: str) -> Callable[..., Callable[[F], F]]:
    def register(name: str, *keywords: str | None) -> Callable[[F], F]:
        def remember(function: F) -> F:
            for keyword in keywords or (None,):
                _REGISTRIES[sort][name, keyword] = function
            return function

        return remember

    return register


integer = _registrar("integer")
boolean = _registrar("boolean")
region = _registrar("region")
effect = _registrar("effect")
moves = _registrar("moves")
result = _registrar("result")
meta = _registrar("meta")
start = _registrar("start")
capped = _registrar("capped")


def _find(sort: str, node: Node) -> Callable[..., object]:
    registry = _REGISTRIES[sort]
    if isinstance(node, Ludeme):
        found = registry.get(_key(sort, node))
        if found is not None:
            return found
    refuse(node)


def _key(sort: str, node: Ludeme) -> Key:
    """Under what a ludeme would be registered: its keyword counts where keywords tell ludemes apart."""
    exact = (node.name, node.keyword)
    return exact if exact in _REGISTRIES[sort] or node.name in _KEYWORDED else (node.name, None)


def known_ludemes() -> list[tuple[str, str, str]]:
    """What kind of thing each ludeme with a meaning here is, the ludeme, and a word about it; sorted."""
    kinds = {
        "boolean": "condition", "effect": "effect", "integer": "number or site", "meta": "rule about rules",
        "moves": "moves", "region": "region", "result": "result", "start": "start rule",
    }  # fmt: skip
    return sorted(
        (
            kinds[sort],
            name if keyword is None else f"{name} {keyword}",
            next(iter((function.__doc__ or "").strip().splitlines()), "").replace("``", ""),
        )
        for sort, registry in _REGISTRIES.items()
        if sort in kinds
        for (name, keyword), function in registry.items()
    )


class Compiler:
    """Compiles ludemes into the parts of one kernel module.

    Attributes:
        model: the game.
        source: the module being built.
        actions: elementary changes of the state.
        kinds: the sorts of decisions that moves can be.
        at_start: statements for the end of the set-up.
        at_turn: statements for when a move was carried out, before the end rules.
    """

    def __init__(self, model: GameModel) -> None:
        self.model = model
        self.source = KernelSource(model.n_sites)
        self.source.constant("BOARD_SITES", model.board.n_sites)
        self.source.constant("ALL_SITES", model.n_sites)
        self.actions = Actions(model, self.source)
        self.kinds = Kinds(self.source)
        self.table = self.source.table
        self.function = self.source.function
        self.needs_any_move = False
        self.at_start: list[str] = []
        self.at_turn: list[str] = []
        self.initial: tuple[tuple[int, int, int, int], ...] = ()  # site, component, local state, count
        self.shared: dict[str, object] = {}  # what ludemes of one family keep for each other
        self.before: dict[str, None] = {}  # statements for the beginning of every move, in order
        self.after: dict[str, None] = {}  # the same for after its end rules
        self.questions: list[Moves] = []  # what is listed to be looked at only
        self.memo: dict[object, str] = {}  # names of functions that are costly to write
        self.asking = False  # whether what is compiled answers a threat's question: a nested one is denied
        self._deferred: list[tuple[str, Node, Scope]] = []
        self._depth = 0

    def integer(self, node: Node, scope: Scope) -> str:
        """An expression for a number or a site; -1 is ``Off``."""
        match node:
            case Number(value=int(value)):
                return str(value)
            case Symbol(name="Off"):
                return "-1"
            case Symbol(name="Infinity"):
                return "32767"
            case Text(value=label):
                return str(self.site(label, node))
            case Symbol():
                return self.player(node, scope)
        return str(_find("integer", node)(self, node, scope))

    def capped(self, node: Node, scope: Scope, limit: int) -> str:
        """A number as far as it is less than ``limit``: counting may stop there."""
        if isinstance(node, Ludeme) and self.knows("capped", node):
            return str(_find("capped", node)(self, node, scope, limit))
        return self.integer(node, scope)

    def boolean(self, node: Node, scope: Scope) -> str:
        """An expression for a condition."""
        if isinstance(node, Boolean):
            return str(node.value)
        return str(_find("boolean", node)(self, node, scope))

    def region(self, node: Node, scope: Scope) -> Region:
        """A set of sites; a list of regions is their union, and a number is one site."""
        if isinstance(node, Array):
            return union(self, [self.region(member, scope) for member in node])
        if isinstance(node, Ludeme) and self.knows("region", node):
            found = _find("region", node)(self, node, scope)
            assert isinstance(found, Region)
            return found
        if isinstance(node, Number | Text) or self.knows("integer", node):
            site = self.integer(node, scope)
            if not site.isdigit():
                return Region.one(site)
            return Region.fixed(self, {self.numbered_site(int(site), node)})
        refuse(node)

    def effect(self, node: Node, scope: Scope) -> str:
        """Statements that append what an effect does to ``actions`` and count ``n``.

        An effect's own ``(then ...)`` follows when the list is run, if the effect did anything.
        """
        then = then_of(node)
        collect = str(_find("effect", node)(self, node, scope))
        if not then:
            return collect
        flag = f"done_{self._depth}_{len(self._deferred)}"
        self._deferred += [(flag, after, scope) for after in then]
        return lines(f"{flag}_from = n", collect, f"{flag} = n > {flag}_from")

    def happens(self, node: Node, scope: Scope) -> str:
        """A condition: whether an effect would do anything."""
        outer, self._deferred = self._deferred, []
        self.actions.probing, before = True, self.actions.probing
        collect = self.effect(node, scope.inside())
        self.actions.probing = before
        self._deferred = outer
        body = lines("actions = stack_int64(1)", "n = 0", collect, "return n")
        return f"{self.function('happens', CONTEXT, body)}({scope.arguments}) > 0"

    def moves(self, node: Node, scope: Scope, then: tuple[Node, ...] = ()) -> Moves:
        """Statements that append the decisions of a generator, each with the consequences ``then``."""
        outer, self._deferred = self._deferred, []
        found = _find("moves", node)(self, node, scope, then)
        self._deferred = outer
        assert isinstance(found, Moves)
        return found

    def any_move(self, nodes: Iterable[Node], scope: Scope) -> list[str]:
        """For each generator the statements that return a positive number if it has a legal move.

        They need ``moves`` and ``n = 0`` before them.
        """
        with self.kinds.probe():
            return [self.moves(node, scope).code for node in nodes]

    def question(self, listed: Moves) -> str:
        """Statements that list moves to be looked at only, into ``moves`` of their own; ``n`` counts them."""
        self.questions.append(listed)
        return lines("moves = stack_int64(QUESTION_MOVES)", "n = 0", listed.code)

    def before_move(self, statements: str) -> None:
        """Let every move begin with these statements."""
        self.before[statements] = None

    def after_move(self, statements: str) -> None:
        """Let these statements follow the end rules of every move."""
        self.after[statements] = None

    def result(self, node: Node, scope: Scope) -> str:
        """Statements that set ``state[OUTCOME]``."""
        return str(_find("result", node)(self, node, scope))

    def start(self, node: Node) -> str:
        """Statements that carry out a start rule other than the placing of pieces."""
        return str(_find("start", node)(self, node))

    def meta(self, node: Node) -> None:
        """A rule about the rules, such as ``(noRepeat)``."""
        _find("meta", node)(self, node)

    def most_pieces(self) -> int:
        """A bound on one player's pieces on the board; call it when all rules are compiled."""
        if self.actions.places or not self.initial:
            return self.model.board.n_sites
        owners = {part.index: part.owner for part in self.model.components}
        owned = [owners[component] for _, component, _, _ in self.initial]
        return max(owned.count(1), owned.count(2), 1)

    def knows(self, sort: str, node: Node) -> bool:
        """Whether somebody registered the ludeme as that sort of thing."""
        return isinstance(node, Ludeme) and _key(sort, node) in _REGISTRIES[sort]

    def player(self, node: Node, scope: Scope) -> str:
        """An expression for the number of a player, from a role or a ludeme."""
        roles = {
            "Mover": "state[MOVER]",
            "Next": "state[NEXT]",
            "Prev": "state[PREV]",
            "Enemy": "3 - state[MOVER]",
            "P1": "1",
            "P2": "2",
            "Neutral": "0",
            "Shared": "3",
        }
        match node:
            case Symbol(name=name) if name in roles:
                return roles[name]
            case Symbol():
                refuse(node)
            case Ludeme(name="player", positional=(number,)):
                return self.integer(number, scope)
        return self.integer(node, scope)

    def site(self, label: str, node: Node) -> int:
        """The number of the site with a label such as ``A1``."""
        site = self.model.board.site_of_label(label)
        if site is None:
            malformed(node, f"the board has no site {label!r}")
        return site

    def numbered_site(self, number: int, node: Node) -> int:
        """The number, known to be a site's."""
        if not 0 <= number < self.model.n_sites:
            malformed(node, f"there is no site {number}")
        return number

    def what(self, site: str) -> str:
        """An expression for the component on a site, 0 if empty."""
        return f"state[HEADER + {site}]"

    def empty(self, site: str) -> str:
        """An expression for whether a site is empty."""
        return f"{self.what(site)} == 0"

    def owner(self, site: str) -> str:
        """An expression for the owner of the piece on a site; 0 if empty or neutral."""
        return self.owner_of(self.what(site))

    def owner_of(self, component: str) -> str:
        """An expression for the owner of a component."""
        owners = [part.owner for part in self.model.components]
        if owners == list(range(1, len(owners) + 1)):
            return component  # component indices and owners coincide
        return f"{self.table('OWNER', np.array([0, *owners]))}[{component}]"

    def directions(
        self, node: Node | None, scope: Scope, default: str = "Adjacent", site: str | None = None
    ) -> Directions:
        """Direction tables of a direction, a list of them or ``(directions ...)``; ``default`` if None.

        ``site`` is an expression for where the piece stands to whose facing they may be relative.
        """
        return read_directions(self, node, default, site)

    def generator(self, prefix: str, scope: Scope, body: str, doc: str = "") -> str:
        """The statement that calls a function made of statements appending to ``moves``.

        ``body`` is written for :data:`~crossplay.games.compiler.scope.INSIDE`.
        """
        call = self._lister("moves", prefix, scope, body, doc)
        return f"{call}\nif n > 0:\n    return n" if self.kinds.probing else call

    def picker(self, prefix: str, scope: Scope, body: str) -> str:
        """The statement that calls a function which looks for a move at one place, ``place``.

        ``body`` sets ``guessed`` if there is one; it is written for
        :data:`~crossplay.games.compiler.scope.INSIDE`.
        """
        self.source.constant("NOTHING", -3)
        parameters = LIST_CONTEXT.format(list="place").replace(", n,", ",")
        function = self.function(prefix, parameters, f"guessed = NOTHING\n{body}\nreturn guessed")
        return f"guessed = {function}({scope.list_arguments('slot').replace(', n,', ',', 1)})"

    def collector(self, prefix: str, scope: Scope, body: str, doc: str = "") -> str:
        """The statement that calls a function made of statements appending to ``actions``."""
        return self._lister("actions", prefix, scope, body, doc)

    def _lister(self, name: str, prefix: str, scope: Scope, body: str, doc: str) -> str:
        parameters = LIST_CONTEXT.format(list=name)
        function = self.function(prefix, parameters, f"{body}\nreturn n", doc)
        return f"n = {function}({scope.list_arguments(name)})"

    def kind(self, body: str, then: tuple[Node, ...]) -> int:
        """The number of a sort of decision: ``body`` changes the state, ``then`` are its consequences.

        ``body`` is written over ``state``, ``origin``, ``to`` and ``extra``.
        """
        self.actions.mutations |= "shift(" in body or "remove(" in body
        self.actions.places |= "place(" in body
        after = lines(*(self.consequence(node, MOVED) for node in then))
        return self.kinds.add(body, after)

    def emit(self, kind: int, origin: str, to: str, extra: str = "0") -> str:
        """The statement that appends a move to ``moves``."""
        return self.kinds.emit(kind, origin, to, extra)

    def push(self, action: str, *values: str) -> str:
        """The statement that appends an elementary action to ``actions``."""
        return self.actions.push(action, *values)

    def run(self, collect: str) -> str:
        """Statements that collect actions and then run them, and what follows from those effects."""
        deferred, self._deferred = self._deferred, []
        self._depth += 1
        later = [f"if {flag}:\n{indent(self.consequence(after, scope))}" for flag, after, scope in deferred]
        self._depth -= 1
        flags = "\n".join(f"{flag} = False" for flag, _, _ in deferred)
        return lines(flags, self.actions.run(collect), *later)

    def consequence(self, node: Node, scope: Scope) -> str:
        """Statements that evaluate an effect on the state as it is and then carry it out."""
        outer, self._deferred = self._deferred, []
        done = self.run(self.effect(node, scope))
        self._deferred = outer
        return done


def then_of(node: Node) -> tuple[Node, ...]:
    """The effects in a ludeme's own ``(then ...)``; its ``applyAfterAllMoves:`` is refused."""
    found = ludemes(node.positional, "then") if isinstance(node, Ludeme) else []
    for then in found:
        only_labels(then)
        if len(then.positional) != 1:
            malformed(then, "(then ...) holds exactly one effect")
    return tuple(then.positional[0] for then in found)


def arguments_of(node: Ludeme, *labels: str) -> list[Node]:
    """A ludeme's positional arguments without its keyword and ``(then ...)``; other labels are refused."""
    only_labels(node, *labels)
    rest = list(node.positional)
    if node.keyword is not None and node.name in _KEYWORDED:
        rest.pop(0)
    return [part for part in rest if not (isinstance(part, Ludeme) and part.name == "then")]


def branches_of(node: Ludeme, what: str) -> tuple[Node, Node, Node | None]:
    """The condition of an ``(if ...)``, what counts under it, and what does otherwise: two of ``what``."""
    match arguments_of(node):
        case [condition, yes]:
            return condition, yes, None
        case [condition, yes, no]:
            return condition, yes, no
    malformed(node, f"(if ...) takes a condition and one or two {what}")
