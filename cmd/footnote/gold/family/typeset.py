"""Typesets a document with reportlab and notes on which pages its facts stand."""

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import BaseDocTemplate, Frame, PageBreak, PageTemplate, Paragraph, Preformatted, Spacer, Table, TableStyle

RULE = colors.HexColor("#b8c2c6")
BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=10.5, leading=14, spaceAfter=6)
STYLES = {
    "cover": ParagraphStyle("cover", BODY, fontName="Helvetica-Bold", fontSize=24, leading=30, alignment=1, spaceBefore=60, spaceAfter=14),
    "centred": ParagraphStyle("centred", BODY, alignment=1, fontSize=12, leading=18),
    "h1": ParagraphStyle("h1", BODY, fontName="Helvetica-Bold", fontSize=15, leading=20, spaceBefore=4, spaceAfter=8, keepWithNext=1),
    "h2": ParagraphStyle("h2", BODY, fontName="Helvetica-Bold", fontSize=11.5, leading=15, spaceBefore=6, spaceAfter=4, keepWithNext=1),
    "note": ParagraphStyle("note", BODY, fontName="Times-Italic", fontSize=9.5, leading=12, spaceAfter=4, keepWithNext=1),
    "title": ParagraphStyle("title", BODY, fontName="Helvetica-Bold", fontSize=11, leading=14, alignment=1, spaceBefore=8, spaceAfter=1, keepWithNext=1),
    "units": ParagraphStyle("units", BODY, fontName="Times-Italic", fontSize=9, leading=11, alignment=1, spaceAfter=4),
    "foot": ParagraphStyle("foot", BODY, fontSize=8, leading=10),
    "cell": ParagraphStyle("cell", BODY, fontSize=9.5, leading=12, spaceAfter=0),
    "right": ParagraphStyle("right", BODY, fontSize=9.5, leading=12, spaceAfter=0, alignment=2),
    "head": ParagraphStyle("head", BODY, fontName="Helvetica-Bold", fontSize=8.5, leading=11, spaceAfter=0, alignment=2),
}
TYPEWRITER = ParagraphStyle("typewriter", fontName="Courier", fontSize=9, leading=11.5)


class Fact(Paragraph):
    """A paragraph that notes the page on which it is drawn."""

    def __init__(self, text, style, notes, key):
        super().__init__(text, style)
        self.notes, self.key = notes, key

    def draw(self):
        page = self.canv.getPageNumber()
        pages = self.notes.setdefault(self.key, [])
        if page not in pages:
            pages.append(page)
        super().draw()

    def split(self, width, height):
        parts = super().split(width, height)
        return [self._part(p) for p in parts] if len(parts) > 1 else parts

    def _part(self, paragraph):
        part = Fact("", self.style, self.notes, self.key)
        part.__dict__.update({k: v for k, v in paragraph.__dict__.items() if k not in ("notes", "key")})
        return part


class Document:
    """Collects the parts of a document. pages has the pages of each fact when it is built."""

    def __init__(self, name, title, header):
        self.name, self.title, self.header = name, title, header
        self.story, self.pages, self.tables, self.count = [], {}, [], 0

    def put(self, style, text, key=None):
        paragraph = STYLES.get(style, BODY)
        self.story.append(Fact(text, paragraph, self.pages, key) if key else Paragraph(text, paragraph))

    def text(self, text, key=None):
        self.put("body", text, key)

    def typewriter(self, text):
        """Text that looks as if it had been typed and scanned."""
        self.story.append(Preformatted(text, TYPEWRITER))

    def page(self):
        self.story.append(PageBreak())

    def table(self, title, units, head, rows, widths=None, style="title"):
        """A titled table. A row is (key, cells); a key None is a row that nobody asks for."""
        self.put(style, title)
        if units:
            self.put("units", units)
        body = [[Paragraph(c, STYLES["cell" if i == 0 else "head"]) for i, c in enumerate(head)]]
        for key, cells in rows:
            body.append([(Fact(c, STYLES["cell"], self.pages, key) if key and i == 0 else Paragraph(c, STYLES["cell" if i == 0 else "right"])) for i, c in enumerate(cells)])
            if key and any(cells[1:]):
                self.tables.append({"document": self.name, "fact": key, "title": title, "row": cells[0], "cells": cells[1:]})
        total = 170 * mm
        if widths is None:
            widths = [total - 28 * mm * (len(head) - 1)] + [28 * mm] * (len(head) - 1)
        self.story.append(Table(body, colWidths=widths, repeatRows=1, spaceAfter=8, style=TableStyle([
            ("LINEBELOW", (0, 0), (-1, 0), 0.8, colors.black),
            ("LINEBELOW", (0, 1), (-1, -1), 0.25, RULE),
            ("VALIGN", (0, 0), (-1, -1), "BOTTOM"),
            ("TOPPADDING", (0, 0), (-1, -1), 1.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
        ])))

    def build(self, folder):
        def furniture(canvas, document):
            canvas.saveState()
            canvas.setFont("Helvetica", 8)
            if document.page > 1 and self.header:
                canvas.drawString(20 * mm, 285 * mm, self.header)
            canvas.drawCentredString(105 * mm, 10 * mm, str(document.page))
            canvas.restoreState()

        document = BaseDocTemplate(str(folder / self.name), pagesize=A4, title=self.title, invariant=1)
        frame = Frame(20 * mm, 16 * mm, 170 * mm, 264 * mm, leftPadding=0, rightPadding=0)
        document.addPageTemplates(PageTemplate(frames=[frame], onPage=furniture))
        document.build([*self.story, Spacer(1, 1)])
        self.count = document.page
