"""Reads documents with presidio-analyzer as it comes; `run.py` starts it in its own environment, without a network.

One JSON line in, one out: `{"id", "found": [[start, end, kind], …], "seconds"}`; the first line out names versions.
"""

import json
import os
import socket
import sys
import time
from importlib import resources

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

KINDS = {
    "PERSON": "PERSON",
    "PHONE_NUMBER": "PHONE",
    "EMAIL_ADDRESS": "EMAIL",
    "LOCATION": "LOCATION",
    "DATE_TIME": "DATE",
    "NRP": "NRP",
    "URL": "URL",
}


def _refuse(*_: object, **__: object) -> None:
    raise OSError("no network in this measurement")


def _placed(model: str) -> str:
    """A model's name, or for `package/folder` the folder inside that package."""
    package, _, folder = model.partition("/")
    return str(resources.files(package).joinpath(folder)) if folder else model


def main() -> None:
    from importlib.metadata import version

    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    models = dict(pair.split("=") for pair in sys.argv[1:])
    where = {lang: _placed(name) for lang, name in models.items()}
    configuration = {
        "nlp_engine_name": "spacy",
        "models": [{"lang_code": lang, "model_name": name} for lang, name in where.items()],
    }
    engine = AnalyzerEngine(
        nlp_engine=NlpEngineProvider(nlp_configuration=configuration).create_engine(),
        supported_languages=list(models),
    )
    for lang in models:
        engine.analyze("Ana Ruiz, 612345678", language=lang)
    socket.socket.connect = _refuse  # type: ignore[assignment,method-assign]
    print(json.dumps({"presidio-analyzer": version("presidio-analyzer"), "models": models}), flush=True)
    for line in sys.stdin:
        doc = json.loads(line)
        before = time.process_time()
        found = engine.analyze(doc["text"], language=doc["lang"])
        spent = time.process_time() - before
        spans = [[one.start, one.end, KINDS.get(one.entity_type, "ID")] for one in found]
        print(json.dumps({"id": doc["id"], "found": spans, "seconds": spent}), flush=True)


if __name__ == "__main__":
    main()
