"""Quotes: what a treatment would cost, sent to the patient and accepted or not."""
