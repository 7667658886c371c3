"""Learning 2048 written straight from the equations, on the slow board and with tables that are dicts.

The reference is driven to see what the kernel sees: the same random numbers, the same two games in turns,
the value of the last afterstate read at the beginning of each turn. Where several moves are so nearly
equal that rounding decides, :meth:`Reference.follow` finds out which of them the kernel took.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from slow_2048 import MASK, add_tile, from_word, images, slide, splitmix, stage, to_word

STEP = 0x9E3779B97F4A7C15
IMAGES = images(list(range(16)))  # which cell comes to each place
REMEMBERED = 1000  # starts of each stage in the carousel


@dataclass
class Game:
    """One of the games of a worker."""

    board: list[int]
    random: int
    episode: list[list[int]] = field(default_factory=list)  # active weights of the last afterstates
    waiting: list[tuple[list[int], float]] = field(default_factory=list)  # to be corrected, and their errors
    before: float = 0.0  # value of the last afterstate at the beginning of the turn
    firsts: dict[int, list[int]] = field(default_factory=dict)
    start: int = 0
    score: int = 0

    def draw(self) -> int:
        """64 random bits."""
        self.random = self.random + STEP & MASK
        return splitmix(self.random)

    def deal(self) -> None:
        """Begin a new game."""
        self.board = add_tile([0] * 16, self.draw())
        self.board = add_tile(self.board, self.draw())


class Reference:
    """A network, its accumulators, two games, and one learning rule."""

    def __init__(
        self,
        tuples: tuple[tuple[int, ...], ...],
        games: list[tuple[int, int]],
        kind: str,
        rate: float,
        horizon: int = 1,
        delayed: bool = True,
        decay: float = 0.0,
        stage_bits: int = 0,
        promotion: bool = True,
        carousel_bits: int = 0,
        offset: float = 0.0,
        meta_rate: float = 0.0,
    ) -> None:
        self.tuples, self.kind, self.rate, self.horizon, self.delayed = tuples, kind, rate, horizon, delayed
        self.decay, self.stage_bits, self.promotion = decay, stage_bits, promotion
        self.carousel_bits, self.offset, self.meta_rate = carousel_bits, offset, meta_rate
        self.m = 8 * len(tuples)
        self.stage_size = sum(16 ** len(cells) for cells in tuples)
        self.V: dict[int, float] = {}
        # TC: sums of errors and of absolute errors. Autostep: step sizes, traces, normalisers.
        self.E: dict[int, float] = {}
        self.A: dict[int, float] = {}
        self.sizes: dict[int, float] = {}
        self.traces: dict[int, float] = {}
        self.normalisers: dict[int, float] = {}
        self.games = [Game(from_word(board), random) for board, random in games]
        self.queues: dict[int, list[list[int]]] = {}
        self.pushed: dict[int, int] = {}
        self.finished = self.total = self.best = 0

    # Values

    def places(self, board: list[int]) -> list[int]:
        """The active weights of an afterstate; the first cell of a tuple is its highest digit."""
        first = stage(board, self.stage_bits) * self.stage_size
        found = []
        for cells in self.tuples:
            for image in IMAGES:
                index = 0
                for cell in cells:
                    index = 16 * index + board[image[cell]]
                found.append(first + index)
            first += 16 ** len(cells)
        return found

    def value(self, places: list[int]) -> float:
        return sum(self.V.get(place, 0.0) for place in places) + self.offset

    def promote(self, places: list[int]) -> None:
        for place in places:
            if place >= self.stage_size and self.V.get(place, 0.0) == 0:
                self.V[place] = self.V.get(place - self.stage_size, 0.0)

    # Learning

    def correct(self, places: list[int], error: float) -> None:
        """Move the value of an afterstate by its error."""
        if self.kind == "td":
            for place in places:
                self.V[place] = self.V.get(place, 0.0) + self.rate / self.m * error
        elif self.kind == "tc":
            rates = []
            for place in places:
                A = self.A.get(place, 0.0)
                rates.append(abs(self.E.get(place, 0.0)) / A if A else 1.0)
            for place, rate in zip(places, rates, strict=True):
                self.V[place] = self.V.get(place, 0.0) + self.rate / self.m * rate * error
            for place in set(places):
                self.E[place] = self.E.get(place, 0.0) + error
                self.A[place] = self.A.get(place, 0.0) + abs(error)
        else:
            self.correct_autostep(places, error)

    def correct_autostep(self, places: list[int], delta: float) -> None:
        """Every hit is an input of its own; a weight that is hit twice is read as it was before both."""
        tau, new = 1e-4, []
        for i in places:
            a, h, v = (
                self.sizes.get(i, self.rate / self.m),
                self.traces.get(i, 0.0),
                self.normalisers.get(i, 0.0),
            )
            correlation = delta * h
            g = abs(correlation)
            v = max(g, v + tau * a * (g - v))
            if v != 0:
                a *= math.exp(self.meta_rate * correlation / v)
            new.append((a, h, v))
        total = sum(a for a, _, _ in new)
        for i, (a, h, v) in zip(places, new, strict=True):
            a /= max(total, 1.0)
            self.V[i] = self.V.get(i, 0.0) + a * delta
            self.sizes[i], self.traces[i], self.normalisers[i] = a, h * (1 - a) + a * delta, v

    def learn(self, game: Game, target: float, last: bool) -> None:
        """What an episode's newest afterstate teaches, and in its end what is still to be corrected."""
        delta = target - game.before
        if not self.delayed:
            for back, places in enumerate(reversed(game.episode[-self.horizon :])):
                self.correct(places, self.decay**back * delta)
            return
        game.waiting.append((game.episode[-1], delta))
        while len(game.waiting) == self.horizon or (last and game.waiting):
            error = sum(self.decay**k * delta for k, (_, delta) in enumerate(game.waiting))
            self.correct(game.waiting.pop(0)[0], error)

    # Playing

    def run(self, actions: int, choices: Iterator[int]) -> list[int]:
        """Make so many moves; ``choices`` decide between nearly equal ones.

        Returns:
            How many moves there were to choose from, each time.
        """
        asked: list[int] = []
        while actions > 0:
            turn = self.games[: min(len(self.games), actions)]
            for game in turn:
                if game.episode:
                    game.before = self.value(game.episode[-1])
            for game in turn:
                actions -= self.move(game, choices, asked)
        return asked

    def move(self, game: Game, choices: Iterator[int], asked: list[int]) -> int:
        bits = game.draw()
        options = []
        for move in range(4):
            after, reward = slide(game.board, move)
            if after != game.board:
                places = self.places(after)
                if self.promotion:
                    self.promote(places)
                options.append((reward + self.value(places), after, places, reward))
        if not options:
            if game.episode:
                self.learn(game, 0.0, last=True)
            self.finish(game)
            return 0
        value, after, places, reward = options[self.choose([o[0] for o in options], bits, choices, asked)]
        if game.episode:
            self.learn(game, value, last=False)
        game.episode = [*game.episode[1 - self.horizon :], places] if self.horizon > 1 else [places]
        game.firsts.setdefault(stage(after, self.carousel_bits), after)
        game.score += reward
        game.board = add_tile(after, bits)
        return 1

    def choose(self, values: list[float], bits: int, choices: Iterator[int], asked: list[int]) -> int:
        near = [i for i, v in enumerate(values) if v >= max(values) - 1e-4 * (1 + abs(max(values)))]
        chosen, equal = 0, 1
        for i in range(1, len(values)):
            if values[i] > values[chosen]:
                chosen, equal = i, 1
            elif values[i] == values[chosen]:
                equal += 1
                if (splitmix(bits + equal & MASK) >> 32) * equal >> 32 == 0:
                    chosen = i
        if len(near) == 1:
            return chosen
        asked.append(len(near))
        near.remove(chosen)
        return [chosen, *near][next(choices, 0)]

    def finish(self, game: Game) -> None:
        if game.start == 0:
            self.finished += 1
            self.total += game.score
            self.best = max(self.best, game.score)
        game.score, game.episode, game.waiting = 0, [], []
        game.deal()
        if self.carousel_bits:
            stages, bits = 2**self.carousel_bits, game.draw()
            for k in range(game.start + 1, stages):
                if k not in game.firsts:
                    break
                queue, pushed = self.queues.setdefault(k, []), self.pushed.get(k, 0)
                queue[pushed % REMEMBERED : pushed % REMEMBERED + 1] = [game.firsts[k]]
                self.pushed[k] = pushed + 1
            game.start += 1
            if queue := self.queues.get(game.start, []):
                game.board = queue[(bits >> 32) * len(queue) >> 32]
            else:
                game.start = 0
        game.firsts = {}

    # Following the kernel

    def clone(self) -> Reference:
        other = copy.copy(self)
        other.games = [
            replace(g, episode=[*g.episode], waiting=[*g.waiting], firsts={**g.firsts}) for g in self.games
        ]
        other.queues = {k: list(queue) for k, queue in self.queues.items()}
        for name in ("V", "E", "A", "sizes", "traces", "normalisers", "pushed"):
            setattr(other, name, dict(getattr(self, name)))
        return other

    def follow(self, actions: int, boards: list[int]) -> Reference:
        """The reference after so many moves, such that its games have come to ``boards``.

        Raises:
            AssertionError: they have not, whichever of nearly equal moves are made.
        """
        choices: list[int] = []
        while True:
            after = self.clone()
            asked = after.run(actions, iter(choices))
            if [to_word(game.board) for game in after.games] == boards:
                return after
            choices += [0] * (len(asked) - len(choices))
            while choices and choices[-1] + 1 == asked[len(choices) - 1]:
                choices.pop()
            if not choices:
                raise AssertionError("the kernel made another move")
            choices[-1] += 1
