"""Signing a record, and checking that it came from a certified key."""
