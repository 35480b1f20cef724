"""What the clinic's pages share: words, layout and rendering."""
