"""What records hold, member by member: closed shapes, read by mypy, checked at run time, and written as JSON Schemas.

forms    what a shape may be made of, and how one is read
values   texts and numbers
parts    what all games' requests and bodies share, and the table's state
records  each kind of record, the export's own lines, the certificate
check    whether a value is of a shape, and where it is not
games    what a game adds, and the check of a whole record
"""
