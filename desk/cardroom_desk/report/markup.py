"""Pieces of HTML that the parts of the report share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def folded(title: str, body: str) -> str:
    """What is seen once its title is opened."""
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Iterable[int] = ()) -> str:
    """Rows and columns; the columns of the `numeric` indices hold numbers."""
    right = set(numeric)
    classes = [' class="n"' if index in right else "" for index in range(len(columns))]
    head = "".join(f"<th{cls}>{escape(name)}</th>" for name, cls in zip(columns, classes, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{cls}>{escape(cell)}</td>" for cell, cls in zip(row, classes, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
