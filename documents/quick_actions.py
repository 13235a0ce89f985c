"""What clerks enter every day, from the start page."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from platform_site.quick_actions import QuickAction, register


def _may_add(kind: str) -> Any:
    return lambda user: user.has_perm(f"documents.add_{kind}")


register(
    QuickAction(
        _("New order"),
        "admin:documents_salesorder_add",
        "shopping-cart",
        _may_add("salesorder"),
        order=10,
    ),
    QuickAction(
        _("New issue"),
        "admin:documents_goodsissue_add",
        "truck",
        _may_add("goodsissue"),
        order=20,
    ),
    QuickAction(
        _("New payment"),
        "admin:documents_bankreceipt_add",
        "banknote",
        _may_add("bankreceipt"),
        order=30,
    ),
    QuickAction(
        _("Enter a goods receipt"),
        "admin:documents_goodsreceipt_add",
        "package-open",
        _may_add("goodsreceipt"),
        _("Put the first goods into stock, so that you can sell them."),
        order=40,
    ),
    QuickAction(
        _("Enter an order"),
        "admin:documents_salesorder_add",
        "file-text",
        _may_add("salesorder"),
        _("Write down what a customer wants, and deliver it with one click later."),
        order=50,
    ),
)
