"""Views of lists that people saved: filters, order and columns under a name."""
