"""The clinic host: a dental practice with patients, an agenda and opening hours."""
