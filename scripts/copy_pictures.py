"""Copy the pictures that the README and the manual show from what the browser tests photographed."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOTS = ROOT / "tests" / "browser" / "screenshots"
IMAGES = ROOT / "docs" / "images"
MANUAL = ROOT / "docs" / "manual" / "pictures"
PICTURES = {
    "card.png": "matrix/clinic-desk-es-light.png",
    "ask.png": "clinic/desk-light-es/5-answer.png",
    "phone.png": "matrix/clinic-phone-es-dark.png",
}
"""Name in the documents: place below the screenshots."""


def main() -> None:
    """Copy all; a missing one names the test that makes it."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, source in PICTURES.items():
        if not (SHOTS / source).is_file():
            raise SystemExit(f"{source} is missing: run tests/browser first")
        shutil.copyfile(SHOTS / source, IMAGES / name)
    for source in sorted((SHOTS / "manual").glob("*/*.png")):
        target = MANUAL / source.parent.name / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


if __name__ == "__main__":
    main()
