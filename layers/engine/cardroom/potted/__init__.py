"""What all games share that are played for a pot, without a banker: antes, pots, and who wins what of them."""
