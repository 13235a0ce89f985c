"""The base of every business row, and the one door to write it."""
