"""Slow second models of all games, written from the sheets alone: they import nothing of the package.

`python -m tests.models --rounds 20000 --seed N` plays rounds of every game against them.
"""
