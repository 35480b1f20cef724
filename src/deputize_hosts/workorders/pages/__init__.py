"""What the pages share: words, layout and rendering."""
