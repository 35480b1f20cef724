"""Capped results keep their structure and say so; secrets never pass (RUN-12, TOOL-12)."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deputize.core.approval import Typed
from deputize.core.preview import Friction
from deputize.policy.cap import cap, secret_key_in, size
from deputize.policy.friction import mismatch, value_at

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=60).map(lambda text: text * 5),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=10), inner, max_size=6),
    max_leaves=10,
)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.text(max_size=10), VALUES, max_size=4))
def test_capped_stays_valid(result: dict[str, object]) -> None:
    """RUN-12, I7, I10, I8: the same shape whatever the size, each list and document within bounds."""
    shown, truncated, _ = cap(result, 3, 200)
    assert json.loads(json.dumps(shown)) == shown
    assert set(shown) == set(result)
    assert truncated == (shown != result)
    for value in shown.values():
        if isinstance(value, list):
            assert len(value) <= 3


def test_counts_and_sizes() -> None:
    items = [{"id": n, "text": "x" * 10_000} for n in range(40)]
    shown, truncated, total = cap({"items": items, "total": 40}, 10, 4000)
    assert (len(shown["items"]), truncated, total) == (10, True, 40)
    assert all(size(item) <= 4000 for item in shown["items"])
    assert [item["id"] for item in shown["items"]] == list(range(10))
    assert cap({"items": [], "note": "short"}, 10, 4000) == ({"items": [], "note": "short"}, False, 0)
    assert cap([1, 2], 10, 100)[0] == [1, 2]


@pytest.mark.parametrize("key", ["password_hash", "PasswordHash", "failedLoginCount", "locked_until", "token_hash"])
def test_secrets(key: str) -> None:
    """TOOL-12, SEC-10: found at any depth."""
    assert secret_key_in({"a": [{"b": {key: 1}}]}) == key
    assert secret_key_in({"a": [{"b": 1}]}) is None


def test_friction() -> None:
    """APPR-8: the server compares what was typed with the frozen value."""
    friction = Friction("Ana Ruiz", ("to", "copies.0"))
    arguments = {"to": "a@x.io", "copies": ["b@x.io"]}
    right = Typed(" Ana Ruiz ", {"to": "a@x.io", "copies.0": "b@x.io"})
    assert mismatch(friction, right, arguments) == ()
    assert mismatch(friction, Typed("ana ruiz", {"to": "a@x.io", "copies.0": "b@x.io"}), arguments) == ("confirm",)
    assert mismatch(friction, Typed("Ana Ruiz", {}), arguments) == ("to", "copies.0")
    assert mismatch(Friction(None, ("gone",)), Typed(None, {"gone": ""}), {}) == ("gone",)
    assert mismatch(Friction(), Typed(), {}) == ()
    assert value_at({"a": [{"b": 1}]}, "a.0.b") == "1"
    assert value_at({"a": 1}, "a.b") is None
