"""Search everything: the box above all pages, its suggestions, and the page of results."""
