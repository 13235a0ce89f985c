"""The path `/health/details`, as a program reads it."""

from __future__ import annotations

PATH = "/health/details"


def checks(client, **headers):
    """Return the status of the response, that of the whole, and the checks by name."""
    answer = client.get(PATH, headers=headers)
    body = answer.json()
    return answer.status_code, body["status"], {c["name"]: c for c in body["checks"]}
