"""The data processors of the catalogs, examples of automated imports."""
