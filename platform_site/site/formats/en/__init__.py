"""English formats for international readers."""
