"""Makes the workbooks of this folder: python3 make_xlsx.py (XlsxWriter 3.3.1, openpyxl 3.1.5)."""

import datetime

import openpyxl
import xlsxwriter

WHEN = datetime.datetime(2026, 1, 5, 9, 0)


def rates():
    b = xlsxwriter.Workbook("rates.xlsx")
    b.set_properties({"title": "Travel rates", "created": WHEN})
    fmt = lambda code: b.add_format({"num_format": code})
    s = b.add_worksheet("Rates 2026")
    s.write("B2", "Daily rates, all countries")
    for c, text in enumerate(["Country", "Rate", "Share", "Valid from", "Checked", "Formula"], 1):
        s.write(2, c, text)
    s.write_row("B4", ["Norway", 75])
    s.write("C4", 75, fmt("#,##0.00 €"))
    s.write("D4", 0.125, fmt("0.0%"))
    s.write_datetime("E4", datetime.datetime(2026, 3, 1), b.add_format({"num_format": 14}))
    s.write_boolean("F4", True)
    s.write_formula("G4", "=C4*2", fmt("0.00"), 150)
    s.write("B5", "Japan\nwithout Tokyo")
    s.write("C5", 1234567.891, fmt("#,##0.00 €"))
    s.write("D5", -0.07, fmt("0%;[Red](0%)"))
    s.write_datetime("E5", datetime.datetime(2026, 12, 24, 18, 5, 30), fmt("dd.mm.yyyy hh:mm"))
    s.write_formula("G5", "=1/0", None, "#DIV/0!")
    s.write_rich_string("B6", "Re", b.add_format({"bold": True}), "union")
    s.write("G6", "_x000D_end")
    s.write("B9", "Sources")
    s.write("B10", "https://example.org/rates")
    s.merge_range("C12:D12", "Merged words")

    s = b.add_worksheet("Secret")
    s.write("A1", "hidden words")
    s.hide()
    b.add_worksheet("Empty")

    s = b.add_worksheet("Log")
    s.freeze_panes(2, 0)
    s.write_row("A1", ["2026"])
    s.write_row("A2", ["Day", "Hours"])
    for r, (d, h) in enumerate([(2, 1.75), (3, 30.5)], 2):
        s.write_datetime(r, 0, datetime.datetime(2026, 1, d), fmt("ddd, d mmm yyyy"))
        s.write(r, 1, h / 24, fmt("[h]:mm"))
    s.write_row(5, 0, [1e-12, 12345678901234567890])
    s.write_row(6, 0, [0.1 + 0.2, 2.0])
    s.write(7, 0, 5551234, fmt("000-0000"))
    s.write(7, 1, 0.000012345, fmt("0.00E+00"))
    s.write(8, 0, 12345678, fmt('#,##0.0,, "million"'))
    s.write(8, 1, 0, fmt('_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-'))
    s.write(9, 2, "beside")
    b.close()


def uncalculated():
    b = openpyxl.Workbook()
    b.properties.created = b.properties.modified = WHEN
    s = b.active
    s.title = "Sums"
    for row in [["A", "B"], [1, 2], ["Sum", "=SUM(A2:B2)"], [None, datetime.date(2026, 11, 22)]]:
        s.append(row)
    b.save("uncalculated.xlsx")


rates()
uncalculated()
