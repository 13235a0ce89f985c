"""The presets for roles of a trading company."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from platform_site.accounts.meaningful_rights import EXECUTE
from platform_site.accounts.role_presets import EVERY, RolePreset, register

_APPS: Final = ("catalogs", "documents")
_WRITE: Final = ("view", "add", "change")
_DOCUMENT: Final = (*_WRITE, "delete", "post", "unpost")

register(
    RolePreset("read-only", _("Read-only"), {EVERY: ("view",)}, _APPS),
    RolePreset(
        "clerk",
        _("Clerk"),
        {
            EVERY: ("view",),
            "catalogs.item": _WRITE,
            "catalogs.counterparty": _WRITE,
            "documents.salesorder": _DOCUMENT,
            "documents.goodsissue": _DOCUMENT,
        },
        _APPS,
    ),
    RolePreset(
        "warehouse",
        _("Warehouse"),
        {
            EVERY: ("view",),
            "documents.goodsreceipt": _DOCUMENT,
            "documents.goodsissue": _DOCUMENT,
        },
        _APPS,
    ),
    RolePreset(
        "accountant",
        _("Accountant"),
        {
            EVERY: ("view",),
            "catalogs.account": _WRITE,
            "catalogs.bankaccount": _WRITE,
            "catalogs.counterparty": _WRITE,
            "catalogs.currency": _WRITE,
            "documents.bankreceipt": _DOCUMENT,
            "documents.goodsissue": ("view", "post", "unpost"),
            "documents.goodsreceipt": ("view", "post", "unpost"),
        },
        _APPS,
    ),
    RolePreset(
        "import-operator",
        _("Import operator"),
        {
            EVERY: ("view", "add", "change", EXECUTE),
            "files.storedfile": ("add",),
            "scheduling.job": ("view",),
            "scheduling.jobexecution": ("view",),
        },
        _APPS,
    ),
)
