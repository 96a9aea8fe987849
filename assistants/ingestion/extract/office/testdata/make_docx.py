"""Makes the Word documents of this folder: python3 make_docx.py (python-docx 1.2.0).

What python-docx has no call for is put in as XML, in the words of Word 365.
"""

import copy
import datetime
import re
import zipfile

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Pt

W = nsdecls("w")
WHEN = datetime.datetime(2026, 1, 5, 9, 0)


def run(text, extra=""):
    return f'<w:r {W}>{extra}<w:t xml:space="preserve">{text}</w:t></w:r>'


def add(p, *fragments):
    for f in fragments:
        p._p.append(parse_xml(f))
    return p


def numbering(d):
    """Two lists: 1. a) and, for headings, 1 / 1.1."""
    part = d.part.numbering_part.element
    for e in list(part):
        part.remove(e)

    def level(i, fmt, text, style=""):
        return f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{fmt}"/>{style}<w:lvlText w:val="{text}"/></w:lvl>'

    part.append(parse_xml(f'<w:abstractNum {W} w:abstractNumId="1">{level(0, "decimal", "%1.")}{level(1, "lowerLetter", "%2)")}{level(2, "lowerRoman", "%3.")}</w:abstractNum>'))
    part.append(parse_xml(f'<w:abstractNum {W} w:abstractNumId="2">{level(0, "bullet", "&#xF0B7;")}{level(1, "bullet", "o")}</w:abstractNum>'))
    h1, h2 = '<w:pStyle w:val="berschrift1"/>', '<w:pStyle w:val="berschrift2"/>'
    part.append(parse_xml(f'<w:abstractNum {W} w:abstractNumId="3">{level(0, "decimal", "%1", h1)}{level(1, "decimal", "%1.%2", h2)}</w:abstractNum>'))
    for n in (1, 2, 3):
        part.append(parse_xml(f'<w:num {W} w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>'))
    part.append(parse_xml(f'<w:num {W} w:numId="4"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>'))


def item(d, text, num, depth=0):
    p = d.add_paragraph()
    p._p.get_or_add_pPr().append(parse_xml(f'<w:numPr {W}><w:ilvl w:val="{depth}"/><w:numId w:val="{num}"/></w:numPr>'))
    add(p, run(text))
    return p


def german_styles(d):
    """Styles as a German Word writes them: ids translated, names not."""
    for n in (1, 2):
        s = d.styles[f"Heading {n}"].element
        s.set(qn("w:styleId"), f"berschrift{n}")
        s.pPr.append(parse_xml(f'<w:numPr {W}><w:ilvl w:val="{n - 1}"/><w:numId w:val="3"/></w:numPr>'))
    d.styles["Title"].element.set(qn("w:styleId"), "Titel")
    own = d.styles.add_style("Kapitel", WD_STYLE_TYPE.PARAGRAPH)
    own.element.append(parse_xml(f'<w:basedOn {W} w:val="berschrift1"/>'))
    box = d.styles.add_style("Hinweis", WD_STYLE_TYPE.PARAGRAPH)
    box.element.append(parse_xml(f'<w:pPr {W}><w:outlineLvl w:val="1"/></w:pPr>'))
    d.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH)


def paragraph(d, style_id, text, first=""):
    p = d.add_paragraph()
    p._p.get_or_add_pPr().append(parse_xml(f'<w:pStyle {W} w:val="{style_id}"/>'))
    return add(p, *([first] if first else []), run(text))


RENDERED = f"<w:r {W}><w:lastRenderedPageBreak/></w:r>"

TEXTBOX = """<w:r xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"
  xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
  xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
  xmlns:v="urn:schemas-microsoft-com:vml"><mc:AlternateContent>
  <mc:Choice Requires="wps"><w:drawing><wps:wsp><wps:txbx><w:txbxContent><w:p><w:r><w:t>Call the desk first.</w:t></w:r></w:p></w:txbxContent></wps:txbx></wps:wsp></w:drawing></mc:Choice>
  <mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>Call the desk first.</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>
</mc:AlternateContent></w:r>"""


def notes_xml(kind, texts):
    body = "".join(f'<w:{kind} w:id="{i + 2}"><w:p><w:r><w:{kind}Ref/></w:r><w:r><w:t xml:space="preserve"> {t}</w:t></w:r></w:p></w:{kind}>' for i, t in enumerate(texts))
    return (f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:{kind}s {W}>'
            f'<w:{kind} w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:{kind}>{body}</w:{kind}s>')


def with_parts(path, parts):
    """Adds parts that python-docx does not know, and their relationships."""
    with zipfile.ZipFile(path) as z:
        files = [(i, z.read(i)) for i in z.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for info, data in files:
            if info.filename == "word/_rels/document.xml.rels":
                more = "".join(f'<Relationship Id="rIdX{k}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{k}" Target="{k}.xml"/>' for k in parts)
                data = data.replace(b"</Relationships>", more.encode() + b"</Relationships>")
            if info.filename == "[Content_Types].xml":
                more = "".join(f'<Override PartName="/word/{k}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.{k}+xml"/>' for k in parts)
                data = data.replace(b"</Types>", more.encode() + b"</Types>")
            z.writestr(stamped(info.filename), data)
        for k, text in parts.items():
            z.writestr(stamped(f"word/{k}.xml"), text)


def stamped(name):
    info = zipfile.ZipInfo(name, (2026, 1, 5, 9, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def new(title):
    d = docx.Document()
    d.core_properties.title = title
    d.core_properties.created = d.core_properties.modified = WHEN
    return d


def travel():
    d = new("")
    german_styles(d)
    numbering(d)
    paragraph(d, "Titel", "Reiserichtlinie")
    paragraph(d, "toc1", "1 Geltung 1")
    paragraph(d, "berschrift1", "Geltung")
    p = add(d.add_paragraph(), run("Diese Richtlinie gilt für "), run("alle", "<w:rPr><w:b/></w:rPr>"), run(" Beschäftigten; siehe "))
    link = f'<w:hyperlink {W}>{run("das Portal")}</w:hyperlink>'
    add(p, link, run("."), f'<w:r {W}><w:footnoteReference w:id="2"/></w:r>', run(" Sie ersetzt die alte.", ""), f'<w:r {W}><w:endnoteReference w:id="2"/></w:r>')
    p = add(d.add_paragraph(), run("Der Satz beträgt "),
            f'<w:del {W} w:id="9" w:author="A">{run("60").replace("w:t ", "w:delText ").replace("w:t>", "w:delText>")}</w:del>',
            f'<w:ins {W} w:id="10" w:author="A">{run("75")}</w:ins>', run(" EUR"),
            f'<w:r {W}><w:tab/></w:r>', run("je Tag,"), f"<w:r {W}><w:br/></w:r>", run("ohne Hotel."),
            run("geheim", "<w:rPr><w:vanish/></w:rPr>"))
    add(p, f'<w:moveFrom {W} w:id="11" w:author="A">{run("Verschoben.")}</w:moveFrom>', TEXTBOX)
    paragraph(d, "berschrift2", "Fristen")
    for text, num, depth in [("Antrag stellen", 1, 0), ("mit Belegen", 1, 1), ("im Original", 1, 2), ("mit Datum", 1, 1), ("Auszahlung abwarten", 1, 0)]:
        item(d, text, num, depth)
    d.add_paragraph("Ausnahmen:")
    item(d, "Notfälle", 2), item(d, "Streik", 2, 1)
    item(d, "ab fünf", 4)
    paragraph(d, "Kapitel", "Sätze", RENDERED)
    t = d.add_table(rows=3, cols=3)
    rows = [("Land", "Tag", "Nacht"), ("Norwegen", "75", ""), ("Japan\nohne Tokio", "", "139")]
    for r, cells in zip(t.rows, rows):
        for c, text in zip(r.cells, cells):
            c.text = text
    t.rows[0]._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {W}/>"))
    p = d.add_paragraph()
    add(p, run("Dieser Absatz beginnt auf Seite zwei"), RENDERED, run(" und endet auf Seite drei."))
    p = d.add_paragraph()
    add(p, f'<w:r {W}><w:br w:type="page"/></w:r>')
    paragraph(d, "Hinweis", "Anhang", RENDERED)
    d.add_paragraph("Auf Seite vier.")
    d.sections[0].header.paragraphs[0].text = "Kopfzeile"
    d.save("travel.docx")
    with_parts("travel.docx", {
        "footnotes": notes_xml("footnote", ["Im Intranet unter Reisen."]),
        "endnotes": notes_xml("endnote", ["Fassung von 2019."]),
        "comments": f'<w:comments {W}><w:comment w:id="0"><w:p>{run("Kommentar")}</w:p></w:comment></w:comments>',
    })


def layout():
    """Tables inside tables, header rows that only look so, merged cells."""
    d = new("Layout")
    outer = d.add_table(rows=1, cols=2)
    outer.cell(0, 0).text = "Left column."
    inner = outer.cell(0, 1).add_table(rows=2, cols=2)
    for c, text in zip([c for r in inner.rows for c in r.cells], ["a", "b", "c", "d"]):
        c.text = text
    d.add_paragraph("Between.")
    t = d.add_table(rows=3, cols=3)
    for c, text in zip([c for r in t.rows for c in r.cells], ["Item", "Q1", "Q2", "Rent", "", "1.200", "Heat", "80", "90"]):
        c.text = text
    for c in t.rows[0].cells:
        c.paragraphs[0].runs[0].bold = True
    t.cell(1, 0).merge(t.cell(1, 1))
    d.add_paragraph("Last.")
    d.save("layout.docx")


travel()
layout()
