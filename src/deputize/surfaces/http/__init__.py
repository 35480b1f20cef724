"""The HTTP face: routes, the stream, errors, and the element's files."""
