"""The responses to failed requests: an explanation if the database or a disk is the
reason, otherwise a reference to the log. A page shows the request id, by which the log
entry can be found."""

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
    """Return the response for an exception in a view or middleware, as Django's
    ``handler500``."""
    error = sys.exc_info()[1]
    failure = failure_of(error)
    if error is None or failure is None:
        return _page(HTTPStatus.INTERNAL_SERVER_ERROR)
    is_for_a_program = is_api(request.path_info)
    answer = problem_of(failure) if is_for_a_program else _page(_STATUS[failure])
    log_failure(failure, error, request, answer)
    return answer


def _page(status: HTTPStatus) -> HttpResponse:
    # Rendered without the request, which may be the cause of the failure.
    page = loader.get_template(f"{status.value}.html")
    text = page.render({"request_id": current_request_id()})
    again = status is HTTPStatus.SERVICE_UNAVAILABLE
    headers = {"Retry-After": str(AGAIN_SECONDS)} if again else {}
    return HttpResponse(text, status=status, headers=headers)
