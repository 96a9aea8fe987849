"""Writes the documents of this folder that are made: those in formats that
nobody writes by hand. Python 3, nothing else; the same bytes every time."""

import csv
import email.message
import email.policy
import json
import pathlib
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).parent
COUNTRIES = (
    "Argentina Australia Austria Belgium Brazil Bulgaria Canada Chile China Croatia Cyprus Denmark Egypt Estonia Finland France "
    "Georgia Germany Greece Hungary Iceland India Indonesia Ireland Israel Italy Japan Kenya Latvia Lithuania Luxembourg Malaysia "
    "Malta Mexico Morocco Netherlands Norway Pakistan Peru Philippines Poland Portugal Romania Senegal Serbia Singapore Slovakia "
    "Slovenia Spain Sweden Switzerland Thailand Tunisia Turkey Ukraine Uruguay Vietnam Zambia"
).split()


def rates():
    return [(c, 30 + 7 * i % 53, 80 + 11 * i % 97) for i, c in enumerate(COUNTRIES)]


def write(name, data):
    (HERE / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def separated():
    with open(HERE / "rates.tsv", "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f, delimiter="\t", lineterminator="\r\n")
        out.writerow(["Country", "Meals per day (EUR)", "Hotel per night (EUR)", "Remark"])
        for country, meals, hotel in rates():
            out.writerow([country, meals, hotel, 'ask the "travel desk",\nthen book' if meals > 75 else ""])


def data():
    policy = {
        "title": "Travel policy",
        "version": 7,
        "approval": {"threshold": 1500, "approvers": ["line manager", "finance"], "text": " ".join(
            f"Rule {i}: a journey of class {i} is approved within {i + 2} working days." for i in range(1, 41))},
        "rates": [{"country": c, "meals": m, "hotel": h} for c, m, h in rates()],
        "contact": {"name": "Jürgen Groß", "phone": "+49 30 1234-567"},
    }
    write("policy.json", json.dumps(policy, ensure_ascii=False, indent=1) + "\n")
    write("incidents.jsonl", "".join(json.dumps({
        "id": f"INC-{1000 + i}", "opened": f"2026-02-{i % 28 + 1:02}", "service": ["mail", "printing", "network"][i % 3],
        "summary": f"Report number {i}: the {['mail', 'printing', 'network'][i % 3]} service was slow for {i * 3 % 50 + 5} minutes.",
        "tags": ["slow", f"floor-{i % 9}"],
    }) + "\n" for i in range(60)))


def markup():
    ET.register_namespace("", "http://docbook.org/ns/docbook")
    book = ET.Element("{http://docbook.org/ns/docbook}article")

    def add(parent, tag, text=None):
        e = ET.SubElement(parent, "{http://docbook.org/ns/docbook}" + tag)
        e.text = text
        return e

    add(book, "title", "Network handbook")
    for n, topic in enumerate(["Accounts", "Passwords", "Wireless", "Printing"], 1):
        section = add(book, "section")
        add(section, "title", topic)
        for i in range(1, 9):
            add(section, "para", f"Rule {n}.{i} on {topic.lower()}: members of group {i} wait {n * 10 + i} minutes before they ask again.")
    table = add(book.find("{*}section[3]"), "table")
    add(table, "title", "Networks")
    group = add(table, "tgroup")
    row = add(add(group, "thead"), "row")
    for name in ("Building", "Network name", "Channel"):
        add(row, "entry", name)
    body = add(group, "tbody")
    for i in range(80):
        row = add(body, "row")
        for cell in (f"House {i}", f"guest-{i:03}", str(i % 13 + 1)):
            add(row, "entry", cell)
    write("network.xml", ET.tostring(book, encoding="utf-8", xml_declaration=True))


def rtf():
    def text(s):
        return "".join(c if ord(c) < 128 else f"\\u{ord(c)}?" if ord(c) > 255 else f"\\'{ord(c):02x}" for c in s)

    body = [r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\froman\fcharset0 Times New Roman;}}",
            r"{\stylesheet{\s0\snext0 Normal;}{\s1\sbasedon0\snext0\outlinelevel0 heading 1;}{\s2\outlinelevel1 heading 2;}}",
            r"{\info{\title Hausordnung}{\author Verwaltung}}\paperw11906\paperh16838"]
    for n, title in enumerate(["Geltung", "Schlüssel", "Räume"], 1):
        body.append(r"\pard\plain\s1\b\fs32 " + text(f"{n} {title}") + r"\par")
        for i in range(1, 13):
            note = r"{\super\chftn}{\footnote\pard\plain {\super\chftn} " + text(f"Fassung von {2000 + i}.") + "}" if i == 4 else ""
            body.append(r"\pard\plain\s0 " + text(f"§ {n}.{i} Wer einen Schlüssel der Größe {i} verliert, meldet es binnen {n + i} Tagen der Verwaltung") + note + r".\par")
        body.append(r"\page")
    body.append(r"\trowd\trhdr\cellx3000\cellx6000\pard\intbl Raum\cell " + text("Plätze") + r"\cell\row")
    for i in range(90):
        body.append(rf"\trowd\cellx3000\cellx6000\pard\intbl R {100 + i}\cell {i * 3 % 41 + 4}\cell\row")
    write("hausordnung.rtf", ("\r\n".join(body) + "\r\n\\pard\\plain Ende.\\par}").encode("ascii"))


def mail():
    inner = email.message.EmailMessage(policy=email.policy.SMTP)
    inner["From"], inner["To"], inner["Subject"] = "ben@example.org", "anna@example.org", "Re: budget"
    inner["Date"], inner["Message-ID"] = "Thu, 26 Feb 2026 08:00:00 +0000", "<2@example.org>"
    inner.set_content("The budget for the spring conference is 4,300 EUR.\n")
    m = email.message.EmailMessage(policy=email.policy.SMTP)
    m["From"], m["To"] = "Anna Müller <anna@example.org>", "Jürgen <j@example.org>, carla@example.org"
    m["Subject"], m["Date"], m["Message-ID"] = "Frühjahrstagung: Zusagen", "Mon, 02 Mar 2026 10:00:00 +0100", "<1@example.org>"
    m.set_content("Plain words nobody reads.\n")
    m.add_alternative("<html><body><p>Die Tagung beginnt am 14. April um 9 Uhr in <b>Raum 217</b>.</p><table><tr><th>Tag</th><th>Leitung</th></tr>"
                      "<tr><td>14. April</td><td>Carla</td></tr></table><style>p{}</style></body></html>", subtype="html")
    m.add_attachment("Name;Zusage\r\nMeyer;ja\r\nSchulz;nein\r\n".encode("cp1252"), maintype="application", subtype="octet-stream", filename="Zusagen Größe.csv")
    m.add_attachment(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", maintype="image", subtype="png", filename="logo.png")
    m.add_attachment(inner)
    for n, part in enumerate(p for p in m.walk() if p.get_content_maintype() == "multipart"):
        part.set_boundary(f"part-{n}")  # not a random one
    write("tagung.eml", m.as_bytes())


def encodings():
    german = "Dienstreisen nach Österreich genehmigt die Abteilungsleitung.\r\nÜber größere Beträge entscheidet das Präsidium.\r\n"
    write("utf16.txt", german.encode("utf-16-le"))
    write("utf16-bom.csv", b"\xfe\xff" + ("Straße;Größe\n" + "".join(f"Hauptstraße {i};{i * 7} m²\n" for i in range(1, 40))).encode("utf-16-be"))
    write("sjis.txt", ("出張の承認は部長が行います。申請は三日前までに提出してください。\n" * 20 + "海外出張には社長の承認が必要です。\n").encode("shift_jis"))
    write("gbk.txt", ("员工每年享有二十五天的带薪假期。请提前三个月提交申请。\n" * 20 + "未休假期最多可以结转十天。\n").encode("gbk"))


for make in (separated, data, markup, rtf, mail, encodings):
    make()
