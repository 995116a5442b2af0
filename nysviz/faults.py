"""The log says where something failed, and nothing of what a visitor sent.

The message of an exception may quote a value of a visitor's table or the name of a column. So the log gets
the kind of the exception and the lines of code that led to it.
"""

import logging
import traceback


def where(error: BaseException) -> str:
    """Return the kind of an exception and of its causes, with the lines of code, without their messages."""
    lines = traceback.format_list(traceback.extract_tb(error.__traceback__))
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    before = "" if cause is None else f"{where(cause)}\nwhile that was handled, or because of it:\n"
    return f"{before}Traceback (most recent call last):\n{''.join(lines)}{type(error).__qualname__}"


def failure(action: str, error: BaseException) -> None:
    """Log that something failed, and where."""
    logging.getLogger("nysviz").error("%s\n%s", action, where(error))
