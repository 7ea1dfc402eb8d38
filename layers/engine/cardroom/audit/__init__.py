"""Auditing: chains followed, rounds played again, exports verified, spans added up."""
