"""The server's log says where something failed, and nothing of what a visitor sent.

The message of an exception may quote a value of a visitor's table or the name of a column. So the log gets
the kind of the exception and the lines of code that led to it.
"""

from __future__ import annotations

import logging
import traceback

from streamlit import config

# Streamlit's loggers that tell of what a page raised.
TELLING = tuple(
    f"streamlit.{name}" for name in ("error_util", "runtime.fragment", "runtime.scriptrunner.script_runner")
)


def where(error: BaseException) -> str:
    """Return the kind of an exception and of its causes, with the lines of code, without their messages."""
    lines = traceback.format_list(traceback.extract_tb(error.__traceback__))
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    before = "" if cause is None else f"{where(cause)}\nwhile that was handled, or because of it:\n"
    return f"{before}Traceback (most recent call last):\n{''.join(lines)}{type(error).__qualname__}"


class WithoutWords(logging.Filter):
    """Takes the messages of exceptions out of records."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, with the places alone."""
        if isinstance(record.exc_info, tuple) and record.exc_info[1] is not None:
            record.exc_text, record.exc_info = where(record.exc_info[1]), None
        return True


def keep_words_out() -> None:
    """Settle what the log of this process tells; calling it again changes nothing."""
    # The coloured form of a traceback is printed past the loggers, and has the message in it.
    if config.get_option("logger.enableRich"):
        config.set_option("logger.enableRich", False)
    for name in (*TELLING, "nysviz"):
        logger = logging.getLogger(name)
        if not any(isinstance(one, WithoutWords) for one in logger.filters):
            logger.addFilter(WithoutWords())


def failure(what: str, error: BaseException) -> None:
    """Log that something failed, and where."""
    logging.getLogger("nysviz").error("%s\n%s", what, where(error))
