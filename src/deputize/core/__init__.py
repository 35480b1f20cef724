"""The words everything is said in; nothing here imports another layer."""
