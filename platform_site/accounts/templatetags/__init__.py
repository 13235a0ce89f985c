"""The template tags of accounts."""
