"""What the case desk's pages share: words, layout and rendering."""
