"""What the demo hosts share: sign-in, CSRF and the page template; it knows nothing of the copilot."""
