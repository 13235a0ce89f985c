"""A project with dates to import, for tests of tokens and dates in time zones."""
