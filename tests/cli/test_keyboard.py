"""Lines from a terminal, a pipe and a file; a wait can be stopped (OPS-4)."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deputize.cli.keyboard import Keyboard
from deputize.surfaces.terminal import Stopped


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


async def test_lines_of_a_pipe_come_one_by_one_and_are_echoed(
    pipe: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Also those that came together, the one that came in pieces, and a last one without its end."""
    source, sink = pipe
    keyboard = Keyboard(source)
    os.write(sink, "uno\r\ndos\nñ".encode())
    assert [await keyboard.line("> "), await keyboard.line("> ")] == ["uno", "dos"]
    waiting = asyncio.create_task(keyboard.line("> "))
    await asyncio.sleep(0)
    os.write(sink, b"andu")
    os.close(sink)
    assert await waiting == "ñandu"
    assert await keyboard.line("> ") is None
    assert capsys.readouterr().out == "> uno\n> dos\n> ñandu\n> "


async def test_a_file_is_read_like_a_pipe(tmp_path: Path) -> None:
    """`deputize chat < file`: a file cannot be watched, and is always ready."""
    path = tmp_path / "said.txt"
    path.write_text("hello\n\nagain\n", encoding="utf-8")
    with path.open("rb") as file:
        keyboard = Keyboard(file.fileno())
        assert [await keyboard.line("") for _ in range(4)] == ["hello", "", "again", None]


async def test_a_terminal_is_not_echoed_twice(capsys: pytest.CaptureFixture[str]) -> None:
    ours, theirs = os.openpty()
    try:
        os.write(ours, b"hello\n")
        assert await Keyboard(theirs).line("> ") == "hello"
    finally:
        os.close(ours)
        os.close(theirs)
    assert capsys.readouterr().out == "> "


async def test_run_9_a_wait_is_stopped_and_the_next_one_works(pipe: tuple[int, int]) -> None:
    """Ctrl-C ends the wait at once, without a line having to come; where nothing is awaited it says so."""
    source, sink = pipe
    keyboard = Keyboard(source)
    assert keyboard.stop() is False
    waiting = asyncio.create_task(keyboard.line("> "))
    await asyncio.sleep(0)
    assert keyboard.stop() is True
    with pytest.raises(Stopped):
        await waiting
    os.write(sink, b"after\n")
    assert await keyboard.line("> ") == "after"
