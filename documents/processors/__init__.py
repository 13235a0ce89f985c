"""The data processors of the documents."""
