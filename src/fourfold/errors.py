"""The one exception that means: the user can mend this."""


class UserError(ValueError):
    """Something the user can mend. Its text is one line: what was got, what was expected, what to do.

    The command line prints that line and exits with code 2.
    """
