"""Requests that may safely be repeated: the answer to a request with an
`Idempotency-Key` is kept, and given again instead of doing the same thing twice."""

from __future__ import annotations
