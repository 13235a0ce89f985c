"""The template tags of notifications."""
