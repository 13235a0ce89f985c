"""The words that price lists, orders and charts of accounts usually have above their
columns, in English, German and Russian."""

from __future__ import annotations

# Of catalogs; a word belongs to one property only.
OF_ROWS: dict[str, tuple[str, ...]] = {
    "code": (
        "sku", "item no", "item number", "item code", "article", "article no",
        "article number", "art no", "part no", "part number", "product code",
        "product id", "stock code", "part", "material no", "account", "account no",
        "account number", "account code", "customer no", "supplier no",
        "artikelnummer", "artikelnr", "artikel nr", "art nr", "artnr", "bestellnummer",
        "bestellnr", "sachnummer", "materialnummer", "material nr", "materialnr", "kontonummer",
        "konto nr", "kontonr", "konto", "kundennummer", "kundennr",
        "lieferantennummer", "kürzel", "schlüssel", "kurzzeichen",
        "артикул", "код товара", "код", "номенклатурный номер", "счет", "счёт",
        "номер счета", "код счета",
    ),
    "name": (
        "item name", "product name", "title", "designation",
        "account name", "company", "company name", "customer name", "item description",
        "artikelname", "artikelbezeichnung", "bezeichnung",
        "produktname", "benennung", "kurztext", "artikeltext", "firma", "firmenname", "kontobezeichnung",
        "kontenbezeichnung", "titel",
        "наименование", "наименование товара", "название",
        "наименование счета", "организация",
    ),
    "description": (
        "long text", "text", "details", "notes", "remarks", "info",
        "langtext", "beschreibung", "artikelbeschreibung", "bemerkung", "notiz",
        "описание", "примечание", "характеристики",
    ),
    "unitOfMeasureId": (
        "unit", "uom", "um", "u m", "units", "unit of measure", "measure", "packaging unit",
        "einheit", "mengeneinheit", "me", "verpackungseinheit", "ve", "vpe", "vpe einheit",
        "einh",
        "ед", "ед изм", "единица", "единица измерения", "единицы", "изм",
    ),
    "price": (
        "unit price", "list price", "price each", "net price", "retail price", "cost",
        "msrp", "price usd", "price eur", "rate",
        "preis", "einzelpreis", "listenpreis", "vk preis", "verkaufspreis", "vk",
        "nettopreis", "bruttopreis", "preis netto", "preis einheit", "stückpreis", "ep", "uvp", "preis eur",
        "цена", "цена за единицу", "розничная цена", "стоимость", "цена руб",
        "цена с ндс", "прайс",
    ),
    "barcode": (
        "ean", "gtin", "upc", "ean code", "ean13", "bar code",
        "strichcode", "ean nummer", "ean nr",
        "штрихкод", "штрих код",
    ),
    "category": (
        "item type", "product type", "type", "kind of item",
        "artikelart", "warenart", "art", "kategorie",
        "вид", "тип", "категория",
    ),
    "parentId": (
        "group", "product group", "folder", "category path", "path", "department",
        "warengruppe", "gruppe", "artikelgruppe", "ordner", "produktgruppe", "rubrik",
        "группа", "товарная группа", "раздел", "папка",
    ),
    "isFolder": ("is folder", "is group", "ist ordner", "ist gruppe", "папка да нет"),
    "taxNumber": (
        "vat", "vat no", "vat id", "tax id", "tax no",
        "ust id", "ust idnr", "ustid", "steuernummer", "uid",
        "инн", "инн кпп",
    ),
    "email": ("e mail", "mail", "e mail address", "почта", "эл почта", "электронная почта"),
    "phone": (
        "tel", "telephone", "phone no", "mobile",
        "telefon", "telefonnummer", "tel nr",
        "тел", "телефон",
    ),
    "address": (
        "street", "postal address", "location",
        "adresse", "anschrift", "strasse", "straße",
        "адрес", "юридический адрес",
    ),
    "isCustomer": ("customer", "kunde", "покупатель", "клиент"),
    "isSupplier": ("supplier", "vendor", "lieferant", "поставщик"),
    "kind": ("account type", "kontoart", "kontenart", "вид счета", "тип счета"),
    "symbol": ("sign", "zeichen", "знак"),
    "bankName": ("bank", "bank name", "банк"),
    "currencyId": ("currency", "währung", "waehrung", "whg", "валюта"),
    "number": ("iban", "bank account", "bankkonto", "расчетный счет"),
}  # fmt: skip

# Of documents and their lines, in which the same words mean other things.
OF_DOCUMENTS: dict[str, tuple[str, ...]] = {
    "code": (
        "order", "order no", "order number", "order id", "document", "document no", "no",
        "number", "po number", "so number", "receipt no", "delivery no", "reference",
        "auftrag", "auftragsnummer", "auftrag nr", "auftragsnr", "bestellung",
        "bestellnummer", "bestellnr", "beleg", "belegnummer", "belegnr", "beleg nr",
        "lieferschein", "lieferscheinnummer", "vorgang",
        "заказ", "номер заказа", "номер", "номер документа", "документ", "накладная",
    ),
    "date": (
        "order date", "document date", "posting date", "created", "booking date",
        "value date", "transaction date",
        "datum", "auftragsdatum", "belegdatum", "bestelldatum", "lieferdatum", "vom",
        "buchungstag", "buchungsdatum", "wertstellung", "valuta",
        "дата", "дата заказа", "дата документа", "дата операции", "дата платежа",
    ),
    "dueDate": (
        "due date", "delivery date", "required date", "ship by",
        "fällig", "fälligkeit", "liefertermin", "termin", "wunschtermin",
        "срок", "срок поставки", "дата отгрузки",
    ),
    "counterpartyId": (
        "customer", "customer no", "customer number", "customer id", "customer code",
        "supplier", "vendor", "client", "account", "partner", "payer", "payee",
        "kunde", "kundennummer", "kundennr", "kunden nr", "lieferant",
        "lieferantennummer", "debitor", "kreditor", "auftraggeber", "zahlungspflichtiger",
        "zahlungspartner",
        "контрагент", "покупатель", "клиент", "поставщик", "код клиента", "заказчик",
        "плательщик",
    ),
    "warehouseId": (
        "warehouse", "store", "location", "depot", "lager", "lagerort", "склад",
    ),
    "currencyId": ("currency", "währung", "waehrung", "whg", "валюта"),
    "comment": (
        "note", "notes", "remark", "remarks", "memo",
        "bemerkung", "kommentar", "notiz", "hinweis", "комментарий", "примечание",
    ),
    "amount": ("sum", "total", "payment", "betrag", "summe", "сумма"),
    "purpose": ("payment purpose", "verwendungszweck", "zweck", "назначение платежа"),
    "bankAccountId": ("bank account", "bankkonto", "банковский счет"),
    "itemId": (
        "item", "item no", "item number", "item code", "sku", "article", "article no",
        "article number", "product", "product code", "part no", "part number",
        "artikel", "artikelnummer", "artikelnr", "artikel nr", "art nr", "artnr",
        "position artikel", "товар", "артикул", "код товара", "номенклатура",
    ),
    "quantity": (
        "qty", "amount ordered", "pieces", "pcs", "count", "ordered",
        "menge", "anzahl", "stück", "stückzahl", "bestellmenge",
        "количество", "кол во", "кол", "шт",
    ),
    "price": (
        "unit price", "price each", "net price", "rate",
        "preis", "einzelpreis", "stückpreis", "ep", "nettopreis",
        "цена", "цена за единицу",
    ),
}  # fmt: skip

# Words that mean a property only if no other column means it better: a list with
# "Artikel" and "Bezeichnung" has numbers in the first.
DOUBTFUL: dict[str, tuple[str, ...]] = {
    "name": ("item", "product", "article", "artikel", "produkt", "товар", "номенклатура"),
    "code": (
        "item", "product", "article", "artikel", "produkt", "товар", "номенклатура",
        "id", "key", "no", "nr", "number", "nummer", "номер",
    ),
}  # fmt: skip

# Short names of one unit; whichever of them an installation has is meant by the others.
UNITS: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "pcs pc pce piece pieces ea each unit units stk st stück stueck stck шт штука штук "
        "nos no",
        "kg kilo kilogram kilogramm кг килограмм",
        "g gr gram gramm г гр грамм",
        "t to tonne ton tonnen т тонна",
        "m lm lfm meter metre mtr м метр",
        "m2 m² qm sqm quadratmeter м2 м² кв.м",
        "m3 m³ cbm kubikmeter м3 м³ куб.м",
        "l lt ltr litre liter л литр",
        "h hr hrs hour hours std stunde stunden ч час",
        "pack pk pkt packung paket pak упак уп упаковка",
        "box bx karton krt ktn carton кор коробка",
        "roll rolls rolle rollen rll рул рулон",
        "pair pr paar пара пар",
        "set sets satz компл комплект",
        "bag sack beutel мешок меш",
        "day tag tage день дн",
    )
)
