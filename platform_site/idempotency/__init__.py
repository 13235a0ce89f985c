"""Requests that can be repeated safely: the response to a request with an
`Idempotency-Key` is stored and returned again instead of repeating the work."""

from __future__ import annotations
