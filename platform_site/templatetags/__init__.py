"""The template tags that all pages share."""
