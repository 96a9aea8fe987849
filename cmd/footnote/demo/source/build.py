"""Typesets the demo's PDF documents from the Markdown files beside this script.

    make demo-documents        # or: python3 build.py OUTPUT_DIRECTORY

The result is the same to the byte on every run: no dates, no random ids and
only the fonts that every PDF reader has. The sources use a small part of
Markdown: a few "key: value" lines, then headings of two levels, paragraphs
and tables. Every heading of the first level starts a page and every heading
becomes a bookmark.
"""

import pathlib
import sys

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

INK = colors.HexColor("#1d2b36")
ACCENT = colors.HexColor("#0b6e75")
RULE = colors.HexColor("#c5d3d6")
SHADE = colors.HexColor("#eef4f4")

BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10.5, leading=15.5, textColor=INK, spaceAfter=7)
STYLES = {
    "title": ParagraphStyle("title", BODY, fontName="Helvetica-Bold", fontSize=26, leading=32, textColor=ACCENT, spaceAfter=4),
    "subtitle": ParagraphStyle("subtitle", BODY, fontSize=11, textColor=INK, spaceAfter=20),
    "h1": ParagraphStyle("h1", BODY, fontName="Helvetica-Bold", fontSize=18, leading=24, textColor=ACCENT, spaceAfter=10),
    "h2": ParagraphStyle("h2", BODY, fontName="Helvetica-Bold", fontSize=12.5, leading=17, spaceBefore=7, spaceAfter=4, keepWithNext=1),
    "cell": ParagraphStyle("cell", BODY, fontSize=9.5, leading=12.5, spaceAfter=0),
    "head": ParagraphStyle("head", BODY, fontName="Helvetica-Bold", fontSize=9.5, leading=12.5, spaceAfter=0),
}


class Document(BaseDocTemplate):
    """A document that turns its headings into bookmarks."""

    def afterFlowable(self, flowable):
        level = {"h1": 0, "h2": 1}.get(getattr(getattr(flowable, "style", None), "name", ""))
        if level is None:
            return
        key = f"heading-{self.seq.nextf('heading')}"
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(flowable.getPlainText(), key, level, closed=level == 0)


def table(rows):
    """Sets a table over the full width, its first row as the head."""
    cells = [[Paragraph(text, STYLES["head" if i == 0 else "cell"]) for text in row] for i, row in enumerate(rows)]
    style = TableStyle(
        [
            ("BACKGROUND", (0, 0), (-1, 0), SHADE),
            ("LINEBELOW", (0, 0), (-1, -1), 0.5, RULE),
            ("LINEABOVE", (0, 0), (-1, 0), 0.8, ACCENT),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("TOPPADDING", (0, 0), (-1, -1), 3.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4.5),
        ]
    )
    share = 174 * mm / len(rows[0])
    return Table(cells, colWidths=[share] * len(rows[0]), style=style, repeatRows=1, spaceBefore=5, spaceAfter=9)


def read(path):
    """Reads a source file into its properties and the flowables of its text."""
    lines = path.read_text(encoding="utf-8").splitlines()
    properties, story, rows = {}, [], []
    while lines and lines[0]:
        key, _, value = lines.pop(0).partition(": ")
        properties[key] = value
    story += [Paragraph(properties[name], STYLES[name]) for name in ("title", "subtitle")]
    first = True
    for line in lines + [""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        if rows:
            story.append(table(rows))
            rows = []
        if line.startswith("# "):
            if not first:
                story.append(PageBreak())
            first = False
            story.append(Paragraph(line[2:], STYLES["h1"]))
        elif line.startswith("## "):
            story.append(Paragraph(line[3:], STYLES["h2"]))
        elif line:
            story.append(Paragraph(line, BODY))
    return properties, story + [Spacer(1, 1)]


def build(source, target):
    properties, story = read(source)

    def footer(canvas, document):
        canvas.saveState()
        canvas.setFont("Helvetica", 8.5)
        canvas.setFillColor(INK)
        canvas.drawString(18 * mm, 11 * mm, f"Tarnwick Instruments · {properties['title']}")
        canvas.drawRightString(192 * mm, 11 * mm, f"Page {document.page}")
        canvas.restoreState()

    document = Document(
        str(target),
        pagesize=A4,
        title=properties["title"],
        author="Tarnwick Instruments Ltd",
        subject=properties["subject"],
        lang="en-GB",
        invariant=1,
    )
    frame = Frame(18 * mm, 18 * mm, 174 * mm, 262 * mm, leftPadding=0, rightPadding=0)
    document.addPageTemplates(PageTemplate(frames=[frame], onPage=footer))
    document.build(story)


def main():
    here = pathlib.Path(__file__).parent
    output = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else here.parent / "documents")
    for source in sorted(here.glob("*.md")):
        target = output / f"{source.stem}.pdf"
        build(source, target)
        print(target)


if __name__ == "__main__":
    main()
