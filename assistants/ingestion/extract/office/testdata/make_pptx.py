"""Makes the presentation of this folder: python3 make_pptx.py (python-pptx 1.0.2)."""

import datetime

from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.util import Inches

A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def bullet(paragraph, xml):
    paragraph._p.get_or_add_pPr().append(parse_xml(xml))


p = Presentation()
p.core_properties.title = "PowerPoint Presentation"
p.core_properties.created = p.core_properties.modified = datetime.datetime(2026, 1, 5, 9, 0)

s = p.slides.add_slide(p.slide_layouts[0])
s.shapes.title.text = "Annual review"
s.placeholders[1].text = "Kyoto office"

# The title was drawn last: it still comes first.
s = p.slides.add_slide(p.slide_layouts[1])
tree = s.shapes._spTree
s.shapes.title.text = "Results\vof the year"
tree.append(s.shapes.title._element)
body = s.placeholders[1].text_frame
body.text = "Revenue grew by 12 %"
for text, level in [("in Japan by 20 %", 1), ("Costs fell", 0)]:
    q = body.add_paragraph()
    q.text, q.level = text, level
q = body.add_paragraph()
q.text = "Not a bullet."
bullet(q, f"<a:buNone {A}/>")
s.notes_slide.notes_text_frame.text = "Say thanks to the team.\nThen pause."

# Without a title, with numbers, a link, a group and a hidden state.
s = p.slides.add_slide(p.slide_layouts[6])
s._element.set("show", "0")
f = s.shapes.add_textbox(Inches(1), Inches(1), Inches(3), Inches(2)).text_frame
f.text = "Steps:"
for text in ("Plan", "Do"):
    q = f.add_paragraph()
    r = q.add_run()
    r.text = text
    bullet(q, f'<a:buAutoNum {A} type="romanLcParenR" startAt="3"/>')
r.hyperlink.address = "https://example.org/do"
g = s.shapes.add_group_shape()
g.shapes.add_textbox(Inches(5), Inches(1), Inches(2), Inches(1)).text_frame.text = "Grouped words."

# An empty slide counts.
p.slides.add_slide(p.slide_layouts[6])

s = p.slides.add_slide(p.slide_layouts[5])
s.shapes.title.text = "Rates"
t = s.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
rows = [("Country", "Day", "Night"), ("Norway", "75", ""), ("Japan", "61", "139"), ("", "", "")]
for r, cells in zip(t.rows, rows):
    for c, text in zip(r.cells, cells):
        c.text = text
t.cell(1, 1).merge(t.cell(1, 2))

# The order of the presentation is not that of the files.
ids = p.slides._sldIdLst
ids.insert(1, ids[4])
p.save("review.pptx")
