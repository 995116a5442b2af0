"""What Streamlit itself logs says where something failed, too, and nothing of what a visitor sent."""

from __future__ import annotations

import logging

from streamlit import config

from nysviz.faults import where

# Streamlit's loggers that tell of what a page raised.
TELLING = tuple(
    f"streamlit.{name}" for name in ("error_util", "runtime.fragment", "runtime.scriptrunner.script_runner")
)


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
