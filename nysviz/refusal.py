"""The exception for values that the caller can correct."""


class Refusal(ValueError):  # noqa: N818
    """A value that cannot be used: its sentence says what was seen, what is needed and what to do.

    Any other exception is a fault of the program.
    """
