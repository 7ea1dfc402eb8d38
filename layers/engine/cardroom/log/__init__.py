"""The append-only log of table heads, and its signed checkpoints."""
