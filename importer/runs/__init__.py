"""What surrounds one run: the lock, the history, the durability of its writes."""
