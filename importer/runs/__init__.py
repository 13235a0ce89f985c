"""The environment of a run: the lock, the history, and the durability of its writes."""
