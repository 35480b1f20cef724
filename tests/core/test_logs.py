"""RED-8, SEC-1: what libraries would write of statements and requests stays out of every log."""

import logging
from collections.abc import Iterator

import pytest

from deputize.core.logs import quieten, told

TREE = "tests.quiet"


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    for name in (TREE, f"{TREE}.child", f"{TREE}.late"):
        logger = logging.getLogger(name)
        logger.filters.clear()
        logger.setLevel(logging.NOTSET)


def test_red_8_a_quiet_tree_stays_quiet_whatever_level_is_set(caplog: pytest.LogCaptureFixture) -> None:
    """The logger, those below it, and those that are made later and left at their default."""
    child = logging.getLogger(f"{TREE}.child")
    for _ in range(2):
        quieten([TREE], logging.WARNING)
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, logger=child.name)
    for name in (TREE, child.name, f"{TREE}.late"):
        logging.getLogger(name).info("canary")
        logging.getLogger(name).warning("loud")
    logging.getLogger("tests.quieter").info("another's")
    assert [record.getMessage() for record in caplog.records] == ["loud", "loud", "loud", "another's"]
    assert len(child.filters) == 1


def test_a_louder_choice_of_the_operator_stands() -> None:
    logging.getLogger(TREE).setLevel(logging.ERROR)
    quieten([TREE], logging.INFO)
    assert logging.getLogger(TREE).level == logging.ERROR


def test_red_8_an_error_is_told_without_its_words() -> None:
    try:
        raise ValueError("canary")
    except ValueError as error:
        said = told(error)
    assert said.startswith("ValueError\n")
    assert "test_logs.py" in said
    assert "canary" not in said.replace('raise ValueError("canary")', "")


def test_a_tree_that_says_little_does_not_say_more() -> None:
    """A library that sets its own root to WARNING is not made to say more."""
    logging.getLogger(TREE).setLevel(logging.WARNING)
    quieten([f"{TREE}.child"], logging.INFO)
    assert logging.getLogger(f"{TREE}.child").level == logging.WARNING
