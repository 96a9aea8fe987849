"""Makes the OpenDocument files of this folder: python3 make_odf.py (nothing but Python).

The XML is in the words of LibreOffice 7.4, shortened.
"""

import zipfile

NS = " ".join(f'xmlns:{k}="urn:oasis:names:tc:opendocument:xmlns:{v}:1.0"' for k, v in {
    "office": "office", "style": "style", "text": "text", "table": "table", "draw": "drawing",
    "fo": "xsl-fo-compatible", "svg": "svg-compatible", "presentation": "presentation", "meta": "meta", "number": "datastyle"}.items())
NS += ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'


def document(path, kind, body, styles="", automatic="", title=""):
    def put(z, name, text, method=zipfile.ZIP_DEFLATED):
        info = zipfile.ZipInfo(name, (2026, 1, 5, 9, 0, 0))
        info.compress_type = method
        z.writestr(info, text)

    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    mime = f"application/vnd.oasis.opendocument.{kind}"
    with zipfile.ZipFile(path, "w") as z:
        put(z, "mimetype", mime, zipfile.ZIP_STORED)
        put(z, "content.xml", f'{head}<office:document-content {NS}><office:automatic-styles>{automatic}</office:automatic-styles><office:body>{body}</office:body></office:document-content>')
        put(z, "styles.xml", f"{head}<office:document-styles {NS}><office:styles>{styles}</office:styles></office:document-styles>")
        put(z, "meta.xml", f"{head}<office:document-meta {NS}><office:meta><dc:title>{title}</dc:title></office:meta></office:document-meta>")
        put(z, "META-INF/manifest.xml", f'{head}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{mime}"/></manifest:manifest>')


def level(n, kind, attrs):
    return f'<text:list-level-style-{kind} text:level="{n}" {attrs}/>'


STYLES = (
    '<style:style style:name="Title" style:family="paragraph"/>'
    '<style:style style:name="Heading_20_1" style:family="paragraph" style:default-outline-level="1"/>'
    '<style:style style:name="Kapitel" style:family="paragraph" style:parent-style-name="Heading_20_1"/>'
    '<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="1"/>'
    '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>')
AUTOMATIC = (
    '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    '<style:style style:name="P2" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>'
    '<text:list-style style:name="L1">' + level(1, "number", 'style:num-format="1" style:num-suffix="."')
    + level(2, "number", 'style:num-format="a" style:num-suffix=")"') + "</text:list-style>"
    '<text:list-style style:name="L2">' + level(1, "bullet", 'text:bullet-char="•"') + "</text:list-style>"
    '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/></style:style>'
    '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>')


def item(text, more=""):
    return f"<text:list-item><text:p>{text}</text:p>{more}</text:list-item>"


def row(*cells):
    return "<table:table-row>" + "".join(f"<table:table-cell><text:p>{c}</text:p></table:table-cell>" if c is not None else "<table:covered-table-cell/>" for c in cells) + "</table:table-row>"


def letter():
    note = ('<text:note text:note-class="{}"><text:note-citation>1</text:note-citation><text:note-body><text:p>{}</text:p></text:note-body></text:note>')
    body = f"""<office:text text:use-soft-page-breaks="true">
<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted words</text:p></text:deletion></text:changed-region></text:tracked-changes>
<text:p text:style-name="P1">Reiserichtlinie</text:p>
<text:table-of-content><text:table-of-content-source/><text:index-body><text:p>1 Geltung 2</text:p><text:p><text:soft-page-break/>2 Sätze 3</text:p></text:index-body></text:table-of-content>
<text:h text:style-name="Heading_20_1" text:outline-level="1">Geltung</text:h>
<text:p>Diese Richtlinie<text:s text:c="3"/>gilt für <text:span>alle</text:span><text:tab/>Beschäftigten;
 siehe <text:a xlink:href="https://example.org/">das Portal</text:a>.{note.format("footnote", "Im Intranet.")} Sie ersetzt<text:change text:change-id="1"/> die alte.{note.format("endnote", "Fassung von 2019.")}<office:annotation><dc:creator>A</dc:creator><text:p>a comment</text:p></office:annotation></text:p>
<text:h text:outline-level="2">Fristen</text:h>
<text:list text:style-name="L1">{item("Antrag stellen", "<text:list>" + item("mit Belegen") + item("im Original") + "</text:list>")}{item("Auszahlung abwarten", "<text:p>in Ruhe</text:p>")}</text:list>
<text:p>Dazwischen.<draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame></text:p>
<text:list text:style-name="L1" text:continue-numbering="true">{item("Ende")}</text:list>
<text:list text:style-name="L2">{item("ohne Nummer")}</text:list>
<text:h text:style-name="Kapitel" text:outline-level="1">Sätze</text:h>
<table:table><table:table-column/><table:table-header-rows>{row("Land", "Tag", "Nacht")}</table:table-header-rows>
{row("Norwegen", "75", "")}<table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>Japan</text:p><text:p>ohne Tokio</text:p></table:table-cell><table:covered-table-cell/><table:table-cell><text:p>139</text:p></table:table-cell></table:table-row></table:table>
<text:p>Ein Wort wird ge<text:soft-page-break/>trennt, und dann<text:line-break/>geht es weiter.</text:p>
<text:p text:style-name="P2">Nach dem Umbruch.</text:p>
</office:text>"""
    document("letter.odt", "text", body, STYLES, AUTOMATIC)


def cell(kind, value, shown="", more=""):
    names = {"float": "value", "percentage": "value", "currency": "value", "date": "date-value", "time": "time-value", "boolean": "boolean-value", "string": "string-value"}
    text = f"<text:p>{shown}</text:p>" if shown else ""
    return f'<table:table-cell office:value-type="{kind}" office:{names[kind]}="{value}" {more}>{text}</table:table-cell>'


def budget():
    def text(s, more=""):
        return f'<table:table-cell office:value-type="string" {more}><text:p>{s}</text:p></table:table-cell>'

    rows = "".join([
        "<table:table-row>" + text("Posten") + text("Betrag") + text("Anteil") + text("Datum") + "</table:table-row>",
        "<table:table-row>" + text("Miete<office:annotation><text:p>a comment</text:p></office:annotation>") + cell("currency", 1200, "1.200,00 €") + cell("percentage", 0.75) + cell("date", "2026-03-01", "01.03.26") + "</table:table-row>",
        '<table:table-row table:number-rows-repeated="2">' + text("Reserve") + cell("float", 0.5) + '<table:table-cell table:number-columns-repeated="2"/>' + cell("boolean", "true") + "</table:table-row>",
        '<table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>',
        "<table:table-row>" + text("Summe") + cell("float", 1201, "1201", 'table:number-columns-repeated="2"') + "</table:table-row>",
        '<table:table-row table:number-rows-repeated="1048569"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>',
    ])
    body = (f'<office:spreadsheet><table:table table:name="Haushalt" table:style-name="ta1">{rows}</table:table>'
            f'<table:table table:name="Versteckt" table:style-name="ta2"><table:table-row>{text("hidden words")}</table:table-row></table:table>'
            f'<table:table table:name="Leer"/>'
            f'<table:table table:name="Log"><table:table-header-rows><table:table-row>{text("Day")}{text("Hours")}</table:table-row></table:table-header-rows>'
            f'<table:table-row>{cell("date", "2026-01-02T08:30:00")}{cell("time", "PT01H45M00S", "01:45")}</table:table-row></table:table></office:spreadsheet>')
    document("budget.ods", "spreadsheet", body, "", AUTOMATIC, "Haushalt 2026")


def frame(kind, *paragraphs):
    return f'<draw:frame presentation:class="{kind}"><draw:text-box>' + "".join(paragraphs) + "</draw:text-box></draw:frame>"


def talk():
    p = "<text:p>{}</text:p>".format
    bullets = '<text:list text:style-name="L2">' + item("Revenue grew", "<text:list>" + item("in Japan") + "</text:list>") + "</text:list>"
    body = ("<office:presentation>"
            f'<draw:page draw:name="page1">{frame("subtitle", p("Kyoto office"))}{frame("title", p("Annual review"))}</draw:page>'
            f'<draw:page draw:name="page2">{frame("outline", bullets)}<draw:g><draw:custom-shape>{p("In a shape.")}</draw:custom-shape></draw:g>{frame("footer", p("on every slide"))}'
            f'<presentation:notes><draw:page-thumbnail/>{frame("notes", p("Say thanks."), p("Pause."))}</presentation:notes></draw:page>'
            '<draw:page draw:name="page3"/>'
            f'<draw:page draw:name="page4">{frame("title", p("Rates"))}<draw:frame><table:table>{row("Country", "Day")}{row("Norway", "75")}</table:table></draw:frame></draw:page>'
            "</office:presentation>")
    document("talk.odp", "presentation", body, STYLES, AUTOMATIC)


letter()
budget()
talk()
