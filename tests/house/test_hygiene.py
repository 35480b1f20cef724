"""Nothing in the repository names a registry, a path of one machine, or a secret."""

import re
from collections.abc import Iterator

import pytest

from tests.house.sources import ROOT, breaches, tracked

REGISTRIES = ["py" + "pi.org", "pythonhosted" + ".org", "registry." + "npmjs", "npm" + "mirror", "deb.debian" + ".org"]
PATHS = re.compile(r"(?<![\w./])/(?:work|root|home/\w+|Users/\w+|opt/pypi|tmp/\w)[\w/-]*")
SECRETS = re.compile(
    r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}|\bxox[abp]-[A-Za-z0-9-]{10,}"
    r"|\bAIza[A-Za-z0-9_-]{35}|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"
)
LOCKS = ["requirements-dev.lock", "web/package-lock.json"]


def lines() -> Iterator[tuple[str, str]]:
    """Every line of every text file, with its place."""
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            yield f"{path.relative_to(ROOT).as_posix()}:{number}", line


def test_nothing_names_a_registry() -> None:
    found = [f"{place} {name}" for place, line in lines() for name in REGISTRIES if name in line]
    assert not found, breaches(found, "any registry must do; none is named")


def test_nothing_names_a_path_of_one_machine() -> None:
    found = [f"{place} {match[0]}" for place, line in lines() if (match := PATHS.search(line))]
    assert not found, breaches(found, "paths count from the repository or come from the system")


def test_nothing_looks_like_a_secret() -> None:
    found = [place for place, line in lines() if SECRETS.search(line)]
    assert not found, breaches(found, "keys come from the environment; tests make theirs")


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_hold_hashes_and_no_addresses(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "sha256:" in text or "sha512-" in text
    assert "://" not in text
    assert '"resolved"' not in text


def test_locks_that_name_hosts_are_not_kept() -> None:
    assert {"uv.lock", "pylock.toml"} & {path.name for path in tracked()} == set()


@pytest.mark.parametrize(
    ("line", "path", "secret"),
    [
        ("open('/" + "work/main/x')", True, False),
        ("cache = /" + "tmp/deputize", True, False),
        ("see https://example.org/work/main and ./work", False, False),
        ("base = '/" + "tmp'", False, False),
        ("key = s" + "k-" + "a" * 40, False, True),
        ("-----BEGIN " + "PRIVATE KEY-----", False, True),
        ("task-list-of-things-that-are-long-enough", False, False),
    ],
)
def test_the_rules_notice_what_they_should(line: str, path: bool, secret: bool) -> None:
    assert bool(PATHS.search(line)) is path
    assert bool(SECRETS.search(line)) is secret
