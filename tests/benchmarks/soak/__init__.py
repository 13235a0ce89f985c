"""Half an hour of ordinary work on real servers: whether memory, threads, descriptors and
answers stay as they are."""
