"""The base of every business row, and the services that write it."""
