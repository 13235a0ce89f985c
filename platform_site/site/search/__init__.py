"""The search of everything: the box above all pages, its suggestions, and the results."""
