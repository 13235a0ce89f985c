"""What is answered to a request that failed: a page or a problem that says why where the
database or a disk is to blame, and else that the log has the reason. A page names the
request, so that whoever reads the log finds what a person tells of."""

from __future__ import annotations

import sys
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.template import loader

from platform_site.database.failures import Failure, failure_of, log_failure
from platform_site.site.api.errors import problem_of
from platform_site.site.api.middleware import is_api
from platform_site.site.api.problems import AGAIN_SECONDS
from platform_site.site.web.request_ids import current_request_id

_STATUS: Final = {
    Failure.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    Failure.OUT_OF_SPACE: HTTPStatus.INSUFFICIENT_STORAGE,
}


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer instead of a view or a middleware that raised, as Django's ``handler500``."""
    error = sys.exc_info()[1]
    failure = failure_of(error)
    if error is None or failure is None:
        return _page(HTTPStatus.INTERNAL_SERVER_ERROR)
    is_for_a_program = is_api(request.path_info)
    answer = problem_of(failure) if is_for_a_program else _page(_STATUS[failure])
    log_failure(failure, error, request, answer)
    return answer


def _page(status: HTTPStatus) -> HttpResponse:
    # Made without the request: what failed may be about that, or who asks.
    page = loader.get_template(f"{status.value}.html")
    text = page.render({"request_id": current_request_id()})
    again = status is HTTPStatus.SERVICE_UNAVAILABLE
    headers = {"Retry-After": str(AGAIN_SECONDS)} if again else {}
    return HttpResponse(text, status=status, headers=headers)
