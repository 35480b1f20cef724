"""Properties of the veil: redact then restore is identity, nothing known leaves, a stream equals the whole."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from deputize.redaction.fold import fold
from deputize.redaction.known import Directory, DirectoryRow
from deputize.redaction.redactor import Redactor
from deputize.redaction.restore import StreamRestorer, restore_text
from deputize.redaction.spans import Span, settle
from deputize.redaction.tokens import HOLD
from deputize.redaction.vault import Vault

SECRET = b"0123456789abcdef"
NAMES = ["Ana Ruiz", "Begoña Núñez", "Otto Müller", "Peter Smith", "Zyxw Vutsr"]
VALUES = [*NAMES, "+34612345678", "eva@x.io", "12345678Z", "ES9121000418450200051332"]
FILLER = st.sampled_from(
    [
        "la cita de",
        "hola,",
        "the crown of",
        "\n",
        "y",
        "(urgente)",
        "móvil:",
        "D2740",
        "a las 15:00",
        "PATIENT",
        "person_",
    ]
)
TEXTS = st.lists(st.one_of(st.sampled_from(VALUES), FILLER), max_size=12).map(" ".join)


def directory() -> Directory:
    return Directory.build(DirectoryRow("patient", f"p-{n}", (("NAME", name),)) for n, name in enumerate(NAMES, 10))


DIRECTORY = directory()


def redactor() -> Redactor:
    vault = Vault(SECRET, kinds=("patient",))
    for name, kind in [(VALUES[5], "PHONE"), (VALUES[6], "EMAIL"), (VALUES[7], "ID"), (VALUES[8], "IBAN")]:
        vault.token_for(kind, name)
    return Redactor(vault, DIRECTORY, person_kinds=frozenset({"patient"}))


@given(TEXTS)
@settings(deadline=None)
def test_redact_then_restore_is_identity(text: str) -> None:
    """conventions; RED-3, RED-7"""
    one = redactor()
    assert restore_text(one.vault, one.text(text)) == text


@given(TEXTS, st.sampled_from([str, str.upper, str.lower, str.title]))
@settings(deadline=None)
def test_nothing_in_the_vault_leaves(text: str, case: object) -> None:
    """RED-2"""
    assert callable(case)
    one = redactor()
    out = one.text(case(text))
    assert one.is_clean(out)
    assert not any(word in fold(out).shadow.lower() for word in ("ruiz", "nunez", "muller", "vutsr", "345678", "eva@"))


@given(TEXTS)
@settings(deadline=None)
def test_redacting_what_was_redacted_changes_nothing(text: str) -> None:
    """B11"""
    one = redactor()
    once = one.text(text)
    assert one.text(once, "house") == once


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            ["{t}", "{p}", "{l}", "{t}s", "**{t}**", "{e}", "{n}", "{z}", "PATIENT", "patient_", "PAT", "s", "_"]
        ),
        st.text(alphabet="aPATIENTkovi_-\\ &#95;%\u200b\u0301\u00a0s.é", max_size=8),
    ),
    max_size=8,
)


@given(PIECES, st.lists(st.integers(0, 200), max_size=6))
@settings(deadline=None, max_examples=400)
def test_a_restored_stream_equals_the_restored_whole(pieces: list[str], cuts: list[int]) -> None:
    """RED-7: however it is cut, and never more than 20 characters held."""
    vault = Vault(SECRET, kinds=("patient",))
    token = vault.token_for("NAME", "Zoe", "patient:1")
    phone = vault.token_for("PHONE", "612345678")
    kind, _, letters = token.partition("_")
    words = {
        "t": token,
        "p": phone,
        "l": token.lower(),
        "e": f"{kind}&#95;{letters}",
        "n": f"{kind}\u00a0{letters}",
        "z": f"{kind}_{letters[:3]}\u200b{letters[3:]}",
    }
    text = "".join(piece.format(**words) if piece.startswith(("{", "**")) else piece for piece in pieces)
    stream, out, at = StreamRestorer(vault), "", 0
    for cut in [*sorted(min(cut, len(text)) for cut in cuts), len(text)]:
        out += stream.feed(text[at:cut])
        assert len(stream.held) <= HOLD
        at = cut
    assert out + stream.finish() == restore_text(vault, text)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 10), st.integers(1, 3)), max_size=8))
def test_settled_spans_are_disjoint_and_cover_the_same(found: list[tuple[int, int, int]]) -> None:
    """E14: overlapping finds leave no character in clear."""
    spans = [Span(start, start + size, "PERSON", None, rank) for start, size, rank in found]
    settled = settle(spans)
    assert all(left.end <= right.start for left, right in pairwise(settled))
    covered = {at for span in settled for at in range(span.start, span.end)}
    assert covered == {at for span in spans for at in range(span.start, span.end)}


@given(st.text())
@settings(deadline=None)
def test_any_text_passes_and_offsets_stay_inside(text: str) -> None:
    folded = fold(text)
    for start in range(len(folded.shadow)):
        begin, end = folded.span(start, start + 1)
        assert 0 <= begin < end <= len(text)
    one = redactor()
    assert isinstance(one.text(text), str)


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6))
def test_no_two_people_share_a_token(names: list[str]) -> None:
    """C1: 0 wrong-person restores."""
    vault = Vault(SECRET)
    tokens = {vault.token_for("NAME", name, f"patient:{number}") for number, name in enumerate(names)}
    assert len(tokens) == len(names)
