"""What the form of a document asks for while somebody fills it in: price, unit and stock of
the items chosen, and what is due of the issue that is paid."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.db.models import Max
from django.http import HttpRequest, JsonResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from catalogs.models import BankAccount, Currency, Item, Warehouse
from documents.admin.buttons import page_of
from documents.admin.line_texts import unit_of
from documents.amounts import amount_in, digits_of
from documents.models import GoodsIssue, GoodsReceiptLine, StockBalance
from platform_site.records.admin import RecordAdmin, is_key
from platform_site.records.admin.formatting import quantity

# As many as a form has lines.
_MOST: Final = 250


class EntryMixin(RecordAdmin):
    """A form with an address that answers while it is filled in."""

    def get_urls(self) -> list[URLPattern]:
        """Add the address."""
        opts = self.opts
        entry = path(
            "entry/",
            self.admin_site.admin_view(require_safe(self.entry_view)),
            name=f"{opts.app_label}_{opts.model_name}_entry",
        )
        return [entry, *super().get_urls()]

    def entry_view(self, request: HttpRequest) -> JsonResponse:
        """Return what the form shows for what is chosen so far."""
        if not (
            self.has_add_permission(request) or self.has_change_permission(request)
        ):
            raise PermissionDenied
        return JsonResponse(self.entry_answer(request))

    def entry_answer(self, request: HttpRequest) -> dict[str, Any]:
        """Return the answer as JSON."""
        raise NotImplementedError(f"{type(self).__name__} answers nothing.")

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Render the form with the address, and whether it is a new document."""
        row = kwargs.get("obj")
        context["entry_url"] = page_of(self.model, "entry")
        context["takes_stock"] = self.model.stock_sign < 0 and not (
            row is not None and row.is_active
        )
        return super().render_change_form(request, context, *args, **kwargs)


class LinesEntryMixin(EntryMixin):
    """The answers about the lines of a document."""

    def entry_answer(self, request: HttpRequest) -> dict[str, Any]:
        """Return price, unit and stock of each item, and the digits of the currency."""
        keys = [int(key) for key in request.GET.getlist("item") if is_key(key)]
        warehouse = _chosen(request, "warehouse", Warehouse)
        currency = _chosen(request, "currency", Currency)
        found: dict[str, Any] = {"items": self._items(request, keys, warehouse)}
        if currency is not None:
            found["currency"] = {
                "code": currency.code,
                "digits": digits_of(currency),
            }
        return found

    def _items(
        self, request: HttpRequest, keys: list[int], warehouse: Any | None
    ) -> dict[int, dict[str, Any]]:
        """Return what is known of items, as far as the person may see it."""
        if not request.user.has_perm("catalogs.view_item"):
            return {}
        items = Item.objects.select_related("unit_of_measure").in_bulk(keys[:_MOST])
        prices = (
            _purchase_prices(items)
            if self.model.stock_sign > 0
            else {key: item.price for key, item in items.items()}
        )
        shown = {
            key: {
                "price": None if prices.get(key) is None else f"{prices[key]:.4f}",
                "unit": unit_of(item),
            }
            for key, item in items.items()
        }
        if warehouse is not None and request.user.has_perm(
            "documents.view_stockbalance"
        ):
            goods = [i for i in items.values() if i.category != Item.Category.SERVICE]
            for item, stock in _stocks(goods, warehouse):
                words = {
                    "quantity": f"{quantity(stock)} {unit_of(item)}".strip(),
                    "warehouse": warehouse.code,
                }
                said = gettext("%(quantity)s in %(warehouse)s") % words
                shown[item.pk] |= {"stock": f"{stock:.4f}", "said": said}
        return shown


class PaymentEntryMixin(EntryMixin):
    """The answers about the amount of a payment."""

    def entry_answer(self, request: HttpRequest) -> dict[str, Any]:
        """Return how the typed amount differs from what is due, if it does."""
        issue = _chosen(request, "issue", GoodsIssue)
        account = _chosen(request, "bank_account", BankAccount)
        if issue is None or not request.user.has_perm("documents.view_goodsissue"):
            return {"said": "", "differs": False}
        currency = Currency._base_manager.get(pk=issue.currency_id)
        words = {"issue": issue.code, "currency": currency.code}
        if account is not None and account.currency_id != issue.currency_id:
            said = gettext(
                "%(issue)s is in %(currency)s: a payment to an account in another "
                "currency doesn't count as its payment."
            )
            return {"said": said % words, "differs": True}
        due = issue.total - issue.paid
        words["due"] = amount_in(due, currency)
        said = gettext("%(due)s of %(issue)s is still to pay.") % words
        amount = _amount(request.GET.get("amount", ""))
        if amount is None or amount == due or request.GET.get("income") == "no":
            return {"said": said, "differs": False}
        words["difference"] = amount_in(abs(amount - due), currency)
        how = (
            gettext("This is %(difference)s more.")
            if amount > due
            else gettext("This is %(difference)s less.")
        )
        return {"said": f"{said} {how % words}", "differs": True}


def _chosen(request: HttpRequest, name: str, model: Any) -> Any | None:
    """Return the row that a parameter names, None without one."""
    key = request.GET.get(name, "")
    if not is_key(key):
        return None
    return model.objects.filter(pk=int(key), is_deleted=False).first()


def _purchase_prices(items: Iterable[int]) -> dict[int, Decimal]:
    """Return the price at which each item was bought last."""
    lines = GoodsReceiptLine._base_manager.filter(item_id__in=list(items)).order_by()
    last = lines.values_list("item_id").annotate(Max("pk"))
    newest = [key for _item, key in last]
    found = GoodsReceiptLine._base_manager.filter(pk__in=newest)
    return dict(found.values_list("item_id", "price"))


def _stocks(items: Iterable[Any], warehouse: Any) -> list[tuple[Any, Decimal]]:
    """Return the stock of items in a warehouse, 0 of those that it never had."""
    known = {item.pk: item for item in items}
    balances = StockBalance.objects.filter(item_id__in=known, warehouse=warehouse)
    stock = dict(balances.values_list("item_id", "quantity"))
    return [(item, stock.get(key, Decimal(0))) for key, item in known.items()]


def _amount(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value) < 10**14 else None
