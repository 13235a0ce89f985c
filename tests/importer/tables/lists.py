"""Lists as people send them, each with its encoding and its faults."""

from __future__ import annotations

import datetime
import io

import openpyxl

GERMAN = """\
Gartenbedarf Muster GmbH;;;;;
Preisliste gültig ab 01.05.2026;;;;;

Artikelnummer;Bezeichnung;ME;Warengruppe;EAN;Preis €
4711;Schlüssel 10 mm;Stk;Werkzeug / Hand;4006381333931;12,50
4712;Dübel groß;Stk;Werkzeug / Hand;;auf Anfrage
4713;Säge Öl;kg;Werkzeug;;1.234,50 €
4714;"Zollstock; 2 m";Stk;;;9,-
""".encode("cp1252")

RUSSIAN = """\
Артикул;Наименование;Ед. изм.;Цена, руб.
100;Кирпич красный;шт;12,50
101;Лопата штыковая;шт.;1 300,00
102;Гвозди;кг;по запросу
""".encode("cp1251")

TABS = """\
SKU\tItem description\tUOM\tUnit price
B-1\tBolt\tea\t1,234.50
N-1\tNut “M8”\tea\t0.10
""".encode("utf-16")

AMERICAN = b"""\
SKU,Description,UOM,List Price,Barcode,Category
A-1,"Bolt, long",ea,"$1,234.50",036000291452,Goods
A-2,Nut,ea,$.10,,Goods
A-3,Assembly,ea,(call),,Service
"""

ACCOUNTS = """\
Konto;Bezeichnung
1;Aktiva
10;  Umlaufvermögen
1000;    Kasse
1200;    Bank
2;Passiva
20;  Eigenkapital
""".encode()

ORDERS = """\
Auftrag;Datum;Kunde;Währung;Artikel;Menge;Preis
SO-1;04.05.2026;C1;EUR;4711;10;12,50
SO-1;04.05.2026;C1;EUR;4713;5;3,00
SO-2;05.05.2026;C1;EUR;4711;viele;1,00
SO-3;05.05.2026;C1;EUR;4711;2;1,00
;;;;4713;3;2,00
SO-3;06.05.2026;C1;EUR;4713;1;1,00
""".encode("utf-8-sig")

SCATTERED = """\
Auftrag;Datum;Kunde;Währung;Artikel;Menge;Preis
SO-1;04.05.2026;C1;EUR;4711;10;12,50
SO-2;05.05.2026;C1;EUR;4711;1;1,00
SO-1;04.05.2026;C1;EUR;4713;5;3,00
""".encode()


# A statement of one account: what every row has is no column.
STATEMENT = """\
Buchungstag;Belegnr.;Auftraggeber;Betrag EUR;Verwendungszweck
04.05.2026;1001;C1;1.250,00;Rechnung 17
05.05.2026;1002;C1;abc;Rechnung 18
31.06.2026;1003;C1;7,10;Rechnung 19
06.05.2026;1004;C9;1,00;ohne Kunden
07.05.2026;1005;C1;99,90;
""".encode("cp1252")


def long_list(rows):
    """Return a list of many rows, one of which has no unit that there is."""
    lines = [f"{n:06};Part {n};pcs;{n % 900}.{n % 100:02}" for n in range(rows)]
    lines[rows // 2] = lines[rows // 2].replace("pcs", "box")
    return "\n".join(("SKU;Item description;UOM;Unit price", *lines, "")).encode()


def workbook(*rows, title="Preise", **cells):
    """Return an XLSX file with rows; ``cells`` are set afterwards by their names."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    for name, value in cells.items():
        sheet[name] = value
    return saved(book)


def saved(book):
    """Return the bytes of a workbook."""
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def excel_list():
    """Return a list with a title over merged cells, a date, and a hidden sheet."""
    book = openpyxl.Workbook()
    hidden = book.active
    hidden.title = "Kalkulation"
    hidden.append(["Artikelnummer", "Bezeichnung", "Einheit", "Preis"])
    hidden.append([1, "Einkauf", "Stk", 1])
    hidden.sheet_state = "hidden"
    sheet = book.create_sheet("Preise")
    sheet["A1"] = "Preisliste Frühjahr"
    sheet.merge_cells("A1:D1")
    sheet["A2"], sheet["B2"] = "Stand", datetime.date(2026, 5, 1)
    sheet.append([])
    sheet.append(["Artikel-Nr.", "Bezeichnung", "Einheit", "VK-Preis (netto)"])
    sheet.append([4711, "Schlüssel", "Stk", 12.5])
    sheet.append(["A1", "Dübel", "Stk", "#N/A"])
    sheet.append([7, "Säge", "Stk", 0.1 + 0.2])
    sheet["A7"].number_format = "00000"
    return saved(book)


def excel_orders():
    """Return orders with a title over merged cells, and dates as plain numbers."""
    first, second = 46146, 46147.5
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"] = "Offene Aufträge"
    sheet.merge_cells("A1:G1")
    sheet.append(["Auftrag", "Datum", "Kunde", "Währung", "Artikel", "Menge", "Preis"])
    sheet.append(["X-1", first, "C1", "EUR", 4711, 10, 12.5])
    sheet.append(["X-1", first, "C1", "EUR", 4713, 0.1 + 0.2, "3,00"])
    sheet.append(["X-2", second, "C1", "EUR", 4711, 1, "#DIV/0!"])
    sheet.append(["X-3", "bald", "C1", "EUR", 4711, 1, 1])
    sheet.append(["X-4", second, "C1", "EUR", 4711, 2, 1])
    return saved(book)
