"""The catalogue: what the clinic offers, at what price and how long it takes."""
