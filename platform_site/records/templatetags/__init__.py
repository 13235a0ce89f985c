"""The template tags of business rows."""
