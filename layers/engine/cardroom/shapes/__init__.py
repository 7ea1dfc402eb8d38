"""What records hold, member by member: closed shapes, read by mypy, checked at run time, and written as JSON Schemas.

bounds   what `Annotated` says of a text, a number, a list
values   texts and numbers: an id, an amount, a card
parts    what the requests and bodies of all games share, and the table's state; banked, potted: of some games
handed   what functions take and give that no record holds just so, for mypy alone
records  each kind of record, the export's own lines, the certificate
games    what a game adds
merge    what all games of a catalogue ask for, in one form
audits   what an audit writes, and what is published of the log
forms    a shape read
check    whether a value is of a shape, and where it is not
whole    the same of a whole record, by its kind and game
"""
