"""A file is one idea, its purpose in its first line; files and functions stay small."""

import ast

from tests.house.sources import breaches, everything

FILE_LINES = 330
TEST_LINES = 420
"""Tests list cases and hosts to try them on; they are read one case at a time."""
FUNCTION_LINES = 60
VAGUE = {"utils", "helpers", "common", "manager", "base"}
SQLALCHEMY_BASE = {"deputize.store.tables.base"}
"""Where `base` is SQLAlchemy's own word for the registry of tables."""


def test_files_are_short() -> None:
    counted = [(source.name, source.text.count("\n")) for source in everything()]
    found = [
        f"{name}: {lines} lines"
        for name, lines in counted
        if lines > (TEST_LINES if name.startswith("tests/") else FILE_LINES)
    ]
    assert not found, breaches(found, f"a file has at most about 300 lines ({FILE_LINES} at the outside)")


def test_functions_are_short() -> None:
    found = []
    for source in everything():
        if "migrations" in source.path.parts:
            continue  # a migration is a list of statements, kept as it was once run
        for node in ast.walk(source.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    found.append(f"{source.name}:{node.lineno} {node.name}: {lines} lines")
    assert not found, breaches(found, f"a function has at most about 50 lines ({FUNCTION_LINES} at the outside)")


def test_every_file_says_its_purpose_in_one_sentence() -> None:
    found = []
    for source in everything():
        if not source.text.strip():
            continue
        first = (ast.get_docstring(source.tree) or "").split("\n")[0]
        if len(first) < 15 or first[-1] not in ".:;!?":
            found.append(f"{source.name}: {first!r}")
    assert not found, breaches(found, "the first docstring line of a file is a sentence that says its purpose")


def test_no_file_has_a_name_that_says_nothing() -> None:
    found = [s.name for s in everything() if s.path.stem in VAGUE and s.module not in SQLALCHEMY_BASE]
    assert not found, breaches(found, "a file is named after its idea")
