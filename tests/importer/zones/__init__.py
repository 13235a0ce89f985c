"""Tokens and dates in the zones of their readers, in a project that has dates to import."""
