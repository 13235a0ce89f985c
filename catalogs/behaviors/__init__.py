"""The rules and actions catalogs declare; each is a phrase saying what holds."""
