"""Date and time formats that replace Django's."""
