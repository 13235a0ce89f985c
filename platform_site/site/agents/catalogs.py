"""The catalogs and documents as an agent sees them: those that its key may read."""

from __future__ import annotations

from typing import Any, Final

from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _

from importer import registry
from platform_site.records.models import Record
from platform_site.search_sources import Hit, Search, find
from platform_site.site.agents.api_caller import ApiCaller, ApiRefused
from platform_site.site.agents.sizes import compact

_SEARCH_SECONDS: Final = 1.5


def readable(api: ApiCaller) -> list[dict[str, Any]]:
    """Return the catalogs and documents that the key may read, with their numbers of
    rows."""
    found, user = [], api.user
    for name, target in _catalogs().items():
        # The API has the last word: the key may have less than its user.
        page = api.find(name, pageSize=1) if _may_view(user, target) else None
        if page is not None:
            spec = target.spec
            entry = {"name": name, "title": spec.title, "kind": spec.kind}
            found.append({**entry, "rows": page["count"]})
    return found


def described(api: ApiCaller, catalog: str) -> dict[str, Any]:
    """Return the properties that a package or the API may give for a catalog's rows."""
    target = _known(catalog)
    page = api.get(catalog, pageSize=1)
    spec = target.spec
    found: dict[str, Any] = compact(
        {
            "name": spec.name,
            "title": spec.title,
            "kind": spec.kind,
            "rows": page.get("count"),
            "code": spec.code,
            "unique": list(spec.unique),
            "properties": [_property(field) for field in spec.fields],
            "example": next(iter(page["results"]), None),
        }
    )
    return found


def row(api: ApiCaller, catalog: str, key: int | str) -> dict[str, Any]:
    """Return a row by its id, or by its code if that is a text."""
    code = _known(catalog).spec.code
    if isinstance(key, int):
        return {"catalog": catalog, "row": api.get(catalog, key)}
    if not code:
        raise _refused(
            _("%(catalog)s have no codes; give the id as a number."), catalog
        )
    found = api.get(catalog, **{code: key}, pageSize=1)["results"]
    if not found:
        sentence = _("%(catalog)s have no row with the code %(code)s.")
        raise _refused(sentence, catalog, code=key)
    return {"catalog": catalog, "row": api.get(catalog, found[0]["id"])}


def found_rows(api: ApiCaller, query: str) -> dict[str, Any]:
    """Return the rows that the search above all pages finds, of what the key may
    read."""
    request = api.request("GET")
    request.user = api.user
    search = Search(request, query, _SEARCH_SECONDS)
    may_read: dict[str, bool] = {}
    rows = []
    for group in find(search).groups:
        for hit in group.hits:
            place = _place(hit)
            if place is None:
                continue
            name = place["catalog"]
            if name not in may_read:
                may_read[name] = api.find(name, pageSize=1) is not None
            if may_read[name]:
                rows.append(compact(_told(api, hit, place)))
    answer: dict[str, Any] = {"summary": f"{len(rows)} rows found.", "rows": rows}
    if search.unfinished:
        answer["notSearchedToTheEnd"] = [title for title, _link in search.unfinished]
    return answer


def _catalogs() -> dict[str, registry.ModelTarget]:
    """Return the catalogs and documents, without processors."""
    return {
        name: target
        for name, target in registry.targets().items()
        if issubclass(target.model, Record)
    }


def _may_view(user: Any, target: registry.ModelTarget) -> bool:
    options = target.model._meta
    return bool(user.has_perm(f"{options.app_label}.view_{options.model_name}"))


def _known(catalog: str) -> registry.ModelTarget:
    """Return a catalog or document by its name; raise ApiRefused for another name."""
    found = _catalogs().get(catalog)
    if found is None:
        raise _refused(
            _("There is no catalog %(catalog)s. Call list_catalogs for the names."),
            catalog,
        )
    return found


def _told(api: ApiCaller, hit: Hit, place: dict[str, Any]) -> dict[str, Any]:
    return {
        **place,
        "code": hit.code,
        "name": hit.title,
        "note": hit.note,
        "deleted": hit.is_deleted or None,
        "link": api.address(hit.link),
    }


def _place(hit: Hit) -> dict[str, Any] | None:
    """Return catalog and id of a row that was found, None for a page or an action."""
    try:
        match = resolve(hit.link.partition("?")[0])
    except Resolver404:
        return None
    key = next(iter((*match.args, *match.kwargs.values())), "")
    name = (match.url_name or "").rpartition("_")[0]
    for target, one in _catalogs().items():
        options = one.model._meta
        if name == f"{options.app_label}_{options.model_name}" and str(key).isdecimal():
            return {"catalog": target, "id": int(key)}
    return None


def _property(field: Any) -> dict[str, Any]:
    return {
        "name": field.name,
        "type": field.kind.value,
        "required": field.required or None,
        "choices": list(field.choices),
        "refersTo": field.to,
        "maxLength": field.limits.longest,
        "description": field.description,
        "lines": [_property(each) for each in field.lines],
    }


def _refused(sentence: str, catalog: str, **words: object) -> ApiRefused:
    return ApiRefused(
        {"code": "not-found", "detail": sentence % {"catalog": catalog, **words}}
    )
