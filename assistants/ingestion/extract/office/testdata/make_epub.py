"""Makes the books of this folder: python3 make_epub.py (nothing but Python)."""

import zipfile

CONTAINER = ('<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
             '<rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>')


def page(body, title="<title/>"):
    return ('<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">\n'
            f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head>{title}<script src="a.js"/></head><body>{body}</body></html>')


def book(path, opf, files):
    with zipfile.ZipFile(path, "w") as z:
        for name, text in {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OEBPS/content.opf": opf, **files}.items():
            info = zipfile.ZipInfo(name, (2026, 1, 5, 9, 0, 0))
            info.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            z.writestr(info, text)


# EPUB 3: a navigation document, files out of order, one twice, one missing.
book("guide.epub", """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A short
 guide</dc:title></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="c2" href="text/second%20part.xhtml" media-type="application/xhtml+xml"/>
<item id="c1" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="c3" href="text/three.xhtml" media-type="application/xhtml+xml"/>
<item id="gone" href="text/gone.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="nav"/><itemref idref="c1"/><itemref idref="c2"/><itemref idref="gone"/><itemref idref="c3" linear="no"/><itemref idref="c1"/></spine></package>""", {
    "OEBPS/nav.xhtml": page('<nav epub:type="toc"><h1>Contents</h1><ol><li><a href="text/one.xhtml#top">One</a></li>'
                            '<li><a href="text/second%20part.xhtml">The <i>second</i> part</a><ol><li><a href="text/three.xhtml">Notes &amp; more</a></li></ol></li></ol></nav>'
                            '<nav epub:type="page-list"><ol><li><a href="text/three.xhtml">7</a></li></ol></nav>'),
    "OEBPS/text/one.xhtml": page('<h1 id="top">Chapter one</h1><p>It begins.<a id="n1"/> Then <a href="three.xhtml">more</a>.</p><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>'),
    "OEBPS/text/second part.xhtml": page("<p>No heading here.</p><ul><li>but a list</li></ul>"),
    "OEBPS/text/three.xhtml": page('<aside epub:type="footnote"><p>A note.</p></aside>'),
})

# EPUB 2: an NCX with its DTD.
book("old.epub", """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Old</dc:title></metadata>
<manifest><item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/><item id="a" href="a.html" media-type="application/xhtml+xml"/><item id="b" href="b.html" media-type="application/xhtml+xml"/></manifest>
<spine toc="ncx"><itemref idref="a"/><itemref idref="b"/></spine></package>""", {
    "OEBPS/toc.ncx": '<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><docTitle><text>Old</text></docTitle>'
                     '<navMap><navPoint id="p1"><navLabel><text>First</text></navLabel><content src="a.html"/><navPoint id="p2"><navLabel><text>Second</text></navLabel><content src="b.html"/></navPoint></navPoint></navMap></ncx>',
    "OEBPS/a.html": page("<p>Words of the first.</p>"),
    "OEBPS/b.html": page("<p>Words of the second.</p>"),
})
