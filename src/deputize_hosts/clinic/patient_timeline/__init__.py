"""The patient's timeline: what the other modules did, in order."""
