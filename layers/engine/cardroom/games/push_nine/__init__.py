"""Push nine (Asian poker): three cards each and one betting round for a pot, carried on while the best hands tie."""
