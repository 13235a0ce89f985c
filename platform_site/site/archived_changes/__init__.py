"""The archiving of old changes: which of them may leave the history, the files that they
are moved into, and the way back."""
