"""Handling of repeated requests: the response is stored in the same transaction as its
effects, so that not even a crash can cause them twice."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Final

from django.db import IntegrityError, connection, transaction
from django.http import HttpResponse
from django.utils import timezone

from platform_site.idempotency.errors import KeyMismatch, RequestInProgress
from platform_site.idempotency.models import KeptAnswer

KEPT_FOR: Final = timedelta(hours=24)
_HEADERS: Final = ("Content-Type", "ETag", "Location")
_REPLAYED: Final = {"Idempotent-Replayed": "true"}
# The requests in progress in this process, for databases without advisory locks.
_answering: set[str] = set()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Question:
    """A request with a key: the caller, and a digest of the request."""

    caller: str
    key: str
    digest: str


def answered_once(
    question: Question, answer: Callable[[], HttpResponse]
) -> HttpResponse:
    """Return the first response to a request, stored in its transaction.

    Refusals are stored too, but not failures and refusals that ask to retry later.
    Raise KeyMismatch, and RequestInProgress while the first request is in progress.
    """
    with _alone(question):
        if (kept := _kept(question)) is not None:
            return _again(kept)
        try:
            with transaction.atomic():
                given = answer()
                if given.status_code < HTTPStatus.BAD_REQUEST:
                    _keep(question, given)
                else:
                    transaction.set_rollback(True)
        except IntegrityError:
            # Another process was faster; this transaction was rolled back.
            if (kept := _kept(question)) is None:
                raise
            return _again(kept)
        if given.status_code >= HTTPStatus.BAD_REQUEST and _is_final(given):
            _keep(question, given)
        return given


def carried_out_once(
    question: Question, answer: Callable[[], HttpResponse], *, resumable: bool = False
) -> HttpResponse:
    """Return the first response to a request that takes several transactions.

    The request is recorded first. If its response is missing later, the process died or
    failed in between; only ``resumable`` work is then carried out again.
    """
    with _alone(question):
        kept = _kept(question)
        if kept is not None and kept.status is not None:
            return _again(kept)
        if kept is not None and not resumable:
            raise RequestInProgress
        if kept is None:
            try:
                with transaction.atomic():
                    kept = _noted(question)
                    kept.save(force_insert=True)
            except IntegrityError:
                raise RequestInProgress from None
        given = answer()
        if _is_final(given):
            _put(kept, given)
            kept.save()
        else:
            kept.delete()
        return given


def _is_final(given: HttpResponse) -> bool:
    failed = given.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
    return not failed and "Retry-After" not in given


def _kept(question: Question) -> KeptAnswer | None:
    """Return the stored response of a request; raise KeyMismatch if the key has
    another."""
    KeptAnswer.objects.filter(asked_at__lte=timezone.now() - KEPT_FOR).delete()
    kept = KeptAnswer.objects.filter(caller=question.caller, key=question.key).first()
    if kept is not None and kept.digest != question.digest:
        raise KeyMismatch
    return kept


def _noted(question: Question) -> KeptAnswer:
    return KeptAnswer(
        caller=question.caller,
        key=question.key,
        digest=question.digest,
        asked_at=timezone.now(),
    )


def _keep(question: Question, given: HttpResponse) -> None:
    kept = _noted(question)
    _put(kept, given)
    kept.save(force_insert=True)


def _put(kept: KeptAnswer, given: HttpResponse) -> None:
    kept.status, kept.body = given.status_code, given.content.decode()
    kept.headers = {name: given[name] for name in _HEADERS if name in given}


def _again(kept: KeptAnswer) -> HttpResponse:
    headers = {**kept.headers, **_REPLAYED}
    return HttpResponse(kept.body, status=kept.status, headers=headers)


@contextmanager
def _alone(question: Question) -> Iterator[None]:
    """Allow one request at a time with a caller's key; raise RequestInProgress for
    others."""
    name = f"{question.caller} {question.key}"
    if not _taken(name):
        raise RequestInProgress
    try:
        yield
    finally:
        _given_up(name)


def _taken(name: str) -> bool:
    if connection.vendor == "postgresql":
        return _advisory("pg_try_advisory_lock", name)
    with _lock:
        if name in _answering:
            return False
        _answering.add(name)
        return True


def _given_up(name: str) -> None:
    if connection.vendor == "postgresql":
        if not connection.needs_rollback:
            _advisory("pg_advisory_unlock", name)
        return
    with _lock:
        _answering.discard(name)


def _advisory(function: str, name: str) -> bool:
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [number])
        return bool(cursor.fetchone()[0])
