"""Documents through packages."""
