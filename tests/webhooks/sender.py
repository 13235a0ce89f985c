"""The sender of webhooks, one turn at a time."""

from __future__ import annotations

from platform_site.webhooks import sending


def serve(webhook):
    """Send for one turn, and return how many messages were accepted."""
    return sending.serve(webhook.pk).sent
