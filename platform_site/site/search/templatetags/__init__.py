"""The template tags of the search above all pages."""
