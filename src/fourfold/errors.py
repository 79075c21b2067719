"""The exceptions that mean: the user can mend this."""


class UserError(ValueError):
    """Something the user can mend. Its text is one line: what was got, what was expected, what to do.

    The command line prints that line and exits with code 2. Of a text longer than ``longest``
    letters it leaves out the middle; where a server's words must be whole, ``longest`` may be set higher.
    """

    longest: int = 400


class ItemError(UserError):
    """A ``UserError`` about one of the walls or sentences that a function was given.

    Callers that know it by another name, such as a wall's id, say that in place of its number.
    """

    def __init__(self, item: int, reason: str, items: str = "walls") -> None:
        super().__init__(item, reason, items)
        self.item = item  # its number among those given
        self.reason = reason  # what is wrong with it
        self.items = items  # what they are called

    def __str__(self) -> str:
        return f"{self.items}[{self.item}]: {self.reason}"


class ModelError(UserError):
    """A model that cannot be had: it is not here and cannot be fetched, a package is missing, nobody answers.

    ``others`` is what is to be said of later runs of the same model, for which it is not tried again.
    """

    def __init__(self, said: str, others: str = "") -> None:
        super().__init__(said)
        self.others = others or said


def reason(error: BaseException) -> str:
    """An exception in a few words: what the system says, or the kind of exception and its text."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__
