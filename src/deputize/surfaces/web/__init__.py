"""What the faces that speak HTTP have in common: bodies, failures, and the plumbing of a stream."""
