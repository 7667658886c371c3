"""Faults that a user can mend.

Everything here is shown as one line and ends a command with exit code 2, so a message names the
file or value at fault and says what to do about it.
"""


class CrossplayError(Exception):
    """A fault in what the user gave: its text is the whole message, one line."""


class LudSyntaxError(CrossplayError):
    """A game description that cannot be read: ``file:line:column: what is wrong``."""

    def __init__(self, message: str, file: str, line: int, column: int) -> None:
        super().__init__(_one_line(f"{file}:{line}:{column}: {message}"))
        self.file, self.line, self.column = file, line, column


class UnsupportedLudeme(CrossplayError):  # noqa: N818 - the name is what users see
    """A well-formed part of a description that the compiler has no meaning for."""

    def __init__(self, ludeme: str, file: str, line: int) -> None:
        super().__init__(_one_line(f"UnsupportedLudeme: ({ludeme} ...) at {file}:{line}"))
        self.ludeme, self.file, self.line = ludeme, file, line


class UnknownGame(CrossplayError):  # noqa: N818
    """No game of that name in the library and no description file at that path."""


class UnknownOption(CrossplayError):  # noqa: N818
    """An option selection that the game's description does not offer."""


def _one_line(message: str) -> str:
    """A name quoted from a description may hold line ends."""
    return " ".join(message.splitlines())
