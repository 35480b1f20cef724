"""The public names: all that a host imports; adding or removing one is a decision that this list records."""

import inspect

import deputize

NAMES = """
Actor Allow Approve Args Automation Channel ConfigurationError Context DeputizeError Destination Disabled Entity
Forbidden LocalTime NotSent Personal Prose Public Receipt Refuse Result Skip Suggestion Surface SyncContext Target Text
Tool Toolset Trusted Unauthenticated Version Yields tool
""".split()  # noqa: SIM905  # a list of words reads better so

LATER = """
Change Deputize Settings alembic_ignore end_actor enqueue note on_commit queue sqlite
""".split()  # noqa: SIM905  # as above
"""Names of the sketch whose files may not be written yet."""


def test_the_public_names_are_these() -> None:
    named = set(deputize.__all__)
    assert set(NAMES) <= named
    assert named - set(NAMES) <= set(LATER)


def test_each_public_name_exists_and_the_list_is_sorted() -> None:
    assert list(deputize.__all__) == sorted(deputize.__all__)
    assert [name for name in deputize.__all__ if not hasattr(deputize, name)] == []


def test_each_public_class_and_function_says_what_it_is() -> None:
    """DeputizeError's leaves say it by their code and words."""
    things = {name: getattr(deputize, name) for name in deputize.__all__}
    documented = {
        name: inspect.getdoc(thing)
        for name, thing in things.items()
        if inspect.isclass(thing) or inspect.isfunction(thing)
    }
    assert [name for name, said in documented.items() if not said] == []
