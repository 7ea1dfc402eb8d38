"""What a call makes of a table: one pure step for each kind of record, shared by services, replay and simulation."""
