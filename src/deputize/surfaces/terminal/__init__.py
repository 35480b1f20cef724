"""The terminal: the same conversation and the same card, as lines of text with a yes or no."""

from deputize.surfaces.terminal.talking import Stopped, Terminal

__all__ = ["Stopped", "Terminal"]
