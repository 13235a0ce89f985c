"""How a test sees that a request to start a run was refused."""

from __future__ import annotations

from importer.models import ImportRun


def refused(answer, status, *words):
    """Check that an answer refuses with these words, and that no run was started."""
    text = answer.content.decode()
    assert answer.status_code == status, text
    assert [word for word in words if word not in text] == []
    assert not ImportRun.objects.exists()
