"""The peer: django-import-export with django-simple-history on the same columns."""
