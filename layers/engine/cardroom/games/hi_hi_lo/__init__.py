"""Hi-hi-lo: six cards make one card high, two cards high and three low, each against the banker's own."""
