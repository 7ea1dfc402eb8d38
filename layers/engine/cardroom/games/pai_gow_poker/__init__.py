"""Pai gow poker (double-handed poker): seven cards set in a front of two and a back of five, against a banker."""
