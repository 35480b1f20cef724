"""Any edit, drop, swap or truncation breaks the chain; canonical JSON is RFC 8785."""

import json
from typing import Any

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from deputize.core.chain import Draft, Finding, NotCanonical, canonical
from deputize.core.verify import Row, verify
from tests.chains import TENANT, TRUSTED, chain, link, note

KEYS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=6)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
ROWS = chain(14)
NOTES = [note(ROWS[:6]), note(ROWS)]


@given(PLAIN)
def test_canonical_equals_rfc_8785(value: Any) -> None:
    """AUD-1: within the restriction, our bytes are those of a separate implementation, and read back the same."""
    ours = canonical(value)
    assert ours == rfc8785.dumps(value)
    assert json.loads(ours) == value


@given(st.recursive(st.floats() | st.binary() | st.integers() | st.text(st.characters()), st.lists, max_leaves=5))
def test_nothing_else_is_ever_written(value: Any) -> None:
    """AUD-1: a value either has exactly one form that reads back, or is refused."""
    try:
        ours = canonical(value)
    except NotCanonical:
        return
    assert json.loads(ours) == value


@given(st.dictionaries(KEYS, PLAIN, max_size=5), st.text(min_size=1, max_size=10), st.text(max_size=10))
def test_whatever_is_written_verifies(payload: dict[str, Any], actor: str, run: str) -> None:
    """AUD-1: the writer's bytes always match the verifier's grammar."""
    try:
        rows = link([Draft("kind", actor, payload, run=run)], tenant=actor)
    except NotCanonical:
        return
    assert verify(rows, actor).ok


@st.composite
def damaged(draw: st.DrawFn) -> list[Row]:
    """The chain after one act of damage that leaves it different from what it was."""
    rows = list(ROWS)
    at = draw(st.integers(0, len(rows) - 1))
    act = draw(st.sampled_from(["drop", "swap", "repeat", "header", "payload", "salt", "hash", "cut", "blank"]))
    row = rows[at]
    if act == "drop":
        del rows[at]
    elif act == "cut":
        del rows[at:]
    elif act == "repeat":
        rows.insert(draw(st.integers(0, len(rows))), row)
    elif act == "swap":
        other = draw(st.integers(0, len(rows) - 1).filter(lambda index: index != at))
        rows[at], rows[other] = rows[other], rows[at]
    elif act == "blank":
        rows[at] = row._replace(payload=None, salt=None)
    elif act == "salt":
        rows[at] = row._replace(salt=draw(st.binary(max_size=17).filter(lambda salt: salt != row.salt)))
    else:
        text: str = getattr(row, act)
        place = draw(st.integers(0, len(text) - 1))
        letter = draw(st.characters().filter(lambda char: char != text[place]))
        edited: dict[str, Any] = {act: text[:place] + letter + text[place + 1 :]}
        rows[at] = row._replace(**edited)
    return rows


@given(damaged())
def test_any_damage_is_found(rows: list[Row]) -> None:
    """AUD-4: under a checkpoint over the whole, no single change goes unnoticed."""
    assert verify(rows, TENANT, NOTES, TRUSTED).finding in {Finding.TAMPERED, Finding.TRUNCATED}


@given(st.integers(1, 14), st.integers(1, 14))
def test_a_rewrite_from_any_entry_is_found_below_the_checkpoint(start: int, size: int) -> None:
    """AUD-4: whoever can link the chain anew is found by what was signed, and only by that."""
    forged = ROWS[: start - 1] + link(
        [Draft("x", "mallory", {}) for _ in range(15 - start)],
        first=start,
        prev=ROWS[start - 2].hash if start > 1 else "0" * 64,
    )
    verdict = verify(forged, TENANT, [note(ROWS[:size])], TRUSTED)
    assert verdict.ok == (start > size)
