"""The rest of the matrix: every data processor by page, API and job, and the files and
probes that are for everybody, none of which the site map or the API's description names.
"""

from __future__ import annotations

import pytest

from platform_site.processing.registry import processors
from platform_site.processing.services import execute
from platform_site.records.errors import NotAllowed
from tests.authorization.identities import IDENTITIES
from tests.authorization.test_pages import SIGN_IN, told

pytestmark = pytest.mark.django_db
EXECUTE = "processing.Execute{}"
# Whoever asks: no session is looked at, and no row.
FOR_EVERYBODY = ("/health/live", "/health/ready", "/static/admin/css/base.css")


def test_there_are_processors_to_check():
    assert len(processors()) >= 3


@pytest.mark.parametrize("name", IDENTITIES)
def test_everybody_finds_the_processors_that_are_theirs(scene, name):
    who, wrong = IDENTITIES[name], {}
    for each in processors():
        answer, left = scene.visit(name, "GET", f"/admin/processors/{each}")
        known = who.on_pages and who.staff
        may = known and who.has(EXECUTE.format(each))
        wanted = 200 if may else 403 if known else SIGN_IN
        if told(answer) != wanted or left:
            wrong[each] = (wanted, told(answer), left)
    assert not wrong


@pytest.mark.parametrize("name", IDENTITIES)
def test_nobody_executes_what_is_not_theirs_from_a_job_or_a_package(scene, name):
    """Both ask the service in the name of their user."""
    who, user = IDENTITIES[name], scene.users[name]
    for each in processors():
        if user is not None and not who.has(EXECUTE.format(each)):
            with pytest.raises(NotAllowed):
                execute(each, {}, user=user)


@pytest.mark.parametrize("name", IDENTITIES)
def test_what_is_for_everybody_is_answered_alike(scene, name):
    for path in FOR_EVERYBODY:
        assert scene.visit(name, "GET", path)[0].status_code == 200, path
        assert scene.visit(name, "HEAD", path)[0].status_code == 200, path
        for method in ("POST", "PUT", "PATCH", "DELETE", "BREW"):
            answer, left = scene.visit(name, method, path)
            assert (answer.status_code in (403, 404, 405), left) == (True, {}), path
