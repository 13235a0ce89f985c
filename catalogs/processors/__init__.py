"""The data processors of the catalogs: the examples of automated import."""
