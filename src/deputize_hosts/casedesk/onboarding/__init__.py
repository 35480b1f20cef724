"""Opening cases, and what customers are asked to send."""
