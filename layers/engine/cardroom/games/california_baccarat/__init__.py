"""California baccarat: two cards and perhaps a third from a shoe of eight decks and eight jokers, nine being best."""
