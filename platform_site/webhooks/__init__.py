"""Webhooks: what happens here is sent to the addresses of other programs, in its order
and at least once."""
