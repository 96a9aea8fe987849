"""Contracts with amendments, versions of manuals, and price lists by quarter."""

import random

from typeset import Document

CONTRACTS = [
    ("master-services-agreement", "Master Services Agreement", "Quillon Software GmbH", "Pemberton Retail Ltd", "software maintenance", "EUR"),
    ("office-lease", "Office Lease Agreement", "Castle Yard Estates Ltd", "Vantry Design LLP", "the premises at 14 Castle Yard", "GBP"),
    ("supply-agreement", "Supply Agreement", "Dorran Castings S.p.A.", "Halvorsen Marine Systems, Inc.", "bronze castings", "USD"),
    ("licence-agreement", "Patent Licence Agreement", "Institute for Thin Films", "Corvane Semiconductor, Inc.", "the licensed patents", "USD"),
]


def terms(i):
    """The terms of a contract: of its base and after each amendment."""
    r = random.Random(500 + i)
    base = {"notice": r.choice([30, 60, 90]), "pay": r.choice([14, 21, 30, 45]), "interest": r.choice([4, 5, 6, 8]), "cap": r.choice([250, 500, 750, 1000]) * 1000, "fee": r.randint(40, 240) * 500, "term": r.choice([3, 4, 5]), "uptime": r.choice(["99.0", "99.5", "99.8"]), "cure": r.choice([10, 15, 20]), "confidential": r.choice([2, 3, 5])}
    out, now = [base], base
    for change in [("fee", "pay"), ("notice", "cap"), ("term", "uptime")]:
        now = dict(now)
        for key in change:
            now[key] = {"fee": now["fee"] + r.randint(4, 30) * 500, "pay": now["pay"] + 15, "notice": now["notice"] + 30, "cap": now["cap"] * 2, "term": now["term"] + 2, "uptime": "99.9"}[key]
        out.append(now)
    return out


def clauses(x, subject, currency, first, second):
    """The clauses that have figures: their heading, text and key."""
    return {
        "fee": ("Fees", f"The customer shall pay an annual fee of {currency} {x['fee']:,} for {subject}, invoiced quarterly in advance."),
        "pay": ("Payment", f"Undisputed invoices are due within {x['pay']} days of receipt."),
        "interest": ("Late Payment", f"Amounts that are overdue bear interest at {x['interest']} percent per year above the base rate."),
        "term": ("Term", f"This agreement begins on the effective date and continues for {x['term']} years unless it is ended earlier."),
        "notice": ("Termination for Convenience", f"Either party may terminate this agreement for convenience by giving {x['notice']} days' prior written notice."),
        "cure": ("Termination for Cause", f"A party may terminate with immediate effect if the other commits a material breach and does not remedy it within {x['cure']} days of written notice."),
        "cap": ("Limitation of Liability", f"The aggregate liability of either party in a contract year shall not exceed {currency} {x['cap']:,}, except for death, personal injury, fraud and wilful misconduct."),
        "uptime": ("Service Levels", f"The provider shall meet a monthly level of {x['uptime']} percent. Below it the customer receives a credit of ten percent of the monthly fee."),
        "confidential": ("Confidentiality", f"The duties of this section survive for {x['confidential']} years after the end of this agreement."),
        "law": ("Governing Law", f"This agreement is governed by the law of the seat of {first}."),
        "assign": ("Assignment", f"{second} may not assign this agreement without prior written consent, which shall not be unreasonably withheld."),
        "force": ("Force Majeure", "Neither party is liable for delay caused by events beyond its reasonable control, if it tells the other without delay."),
    }


FILLER = [
    "Headings are for convenience only and do not affect the interpretation of this agreement. Words in the singular include the plural.",
    "If a provision is held to be invalid, the others remain in force, and the parties shall agree on one that comes closest to what was meant.",
    "A waiver is effective only in writing. No failure to exercise a right is a waiver of it.",
    "Notices must be in writing and are deemed received on the second business day after dispatch by courier.",
]


def contracts():
    for i, (slug, title, first, second, subject, currency) in enumerate(CONTRACTS):
        versions = terms(i)
        for v, x in enumerate(versions):
            name = f"{slug}.pdf" if v == 0 else f"{slug}-amendment-{v}.pdf"
            head = title if v == 0 else f"Amendment No. {v} to the {title}"
            d = Document(name, f"{head}: {first} and {second}", f"{head} | {first} - {second} | Confidential")
            d.put("cover", head)
            d.put("centred", f"between {first} and {second}", "parties")
            d.put("centred", f"Effective date: 1 {['March', 'April', 'June', 'October'][i]} {2019 + v}", "effective")
            d.page()
            all_of = clauses(x, subject, currency, first, second)
            changed = all_of if v == 0 else {k: all_of[k] for k in all_of if x.get(k) != versions[v - 1].get(k)}
            if v:
                d.put("h1", "Recitals")
                d.text(f"The parties have entered into the {title}, as amended. They wish to amend it again. All terms that are not amended here remain in force.")
            for n, (key, (heading, text)) in enumerate(changed.items(), 1):
                d.put("h1", f"{n}. {heading}")
                d.text(("" if v == 0 else f"The section \"{heading}\" of the {title} is replaced as follows: ") + text, key)
                for filler in FILLER if v == 0 else FILLER[n % 2 :: 2]:
                    d.text(filler)
            d.put("h1", "Signatures")
            d.typewriter(f"  for {first:<36}  for {second}\n\n  ______________________            ______________________\n  Date:                             Date:")
            yield i, v, versions, d


MANUALS = [
    ("TD-310", "Tide Dishwasher", "dishwasher", ["E1", "E4", "E7", "E9"]),
    ("KX-20", "Kestrel Label Printer", "label printer", ["P01", "P02", "P11", "P31"]),
    ("VR-8", "Vireo Heat Pump", "heat pump", ["H3", "H5", "H12", "H20"]),
]
CAUSES = ["no water arrives; open the tap and clean the inlet filter", "the cover is not closed; press it until it clicks", "the sensor is too hot; switch the device off and wait for an hour", "the drain is blocked; clean the sieve", "the supply voltage is too low; call an electrician", "the memory is full; delete stored jobs", "the motor is blocked; remove what is caught in it"]


def manual_facts(i, version):
    r = random.Random(700 + i * 10 + version)
    return {"weight": r.randint(18, 140) / 2, "power": r.randint(6, 44) * 50, "noise": r.randint(38, 61), "warranty": r.choice([24, 36, 48, 60]), "clean": r.choice([2, 3, 4, 6, 8]), "cable": r.choice(["1.2", "1.5", "1.8", "2.5"]), "limit": r.choice([35, 40, 45, 50]), "codes": r.sample(CAUSES, 4)}


def manuals():
    for i, (model, product, kind, codes) in enumerate(MANUALS):
        for version in (1, 2, 3, 4):
            x = manual_facts(i, version)
            d = Document(f"{model.lower()}-manual-v{version}.pdf", f"{product} {model} user manual, version {version}.0", f"{product} {model} | User Manual | Version {version}.0")
            d.put("cover", f"{product} {model}")
            d.put("centred", f"User Manual, version {version}.0, for devices made since {2018 + version}", "made")
            d.page()
            d.put("h1", "Contents")
            for title in ["Safety", "Installation", "Daily use", "Cleaning", "Error codes", "Technical data", "Warranty"]:
                d.text(f"{title} " + ". " * 36)
            d.page()
            d.put("h1", "Safety")
            d.text(f"Read this manual before you use the {kind}. Keep it. Do not use the {kind} when its cable is damaged. Children under eight years must not use it.")
            d.text(f"The {kind} must not be used where it is warmer than {x['limit']} degrees Celsius.", "limit")
            d.put("h1", "Installation")
            d.text(f"Two people should lift the {kind}. Place it on a level floor, at least five centimetres from the wall. The power cable is {x['cable']} m long and must not be extended.", "cable")
            d.page()
            d.put("h1", "Daily use")
            d.text(f"Press the power button for two seconds. The display shows the last programme. Choose another one with the arrows and press Start. To stop the {kind} early, hold Start for three seconds.", "stop")
            d.put("h1", "Cleaning")
            d.text(f"Clean the filter every {x['clean']} weeks with warm water. Never use solvents.", "clean")
            d.page()
            d.table("Error codes", None, ["Code", "What it means and what to do"], [(f"code{j}", [code, x["codes"][j]]) for j, code in enumerate(codes)], widths=[70, 400], style="h1")
            d.table("Technical data", None, ["", "Value"], [("weight", ["Net weight", f"{x['weight']} kg"]), ("power", ["Rated power", f"{x['power']} W"]), ("noise", ["Noise level", f"{x['noise']} dB(A)"])], style="h1")
            d.page()
            d.put("h1", "Warranty")
            d.text(f"The warranty ends {x['warranty']} months after purchase. It does not cover wear, wrong use and opening of the housing.", "warranty")
            yield i, version, x, d


VENDORS = [
    ("Ferrand Fasteners", "fasteners", ["Hex bolt", "Socket screw", "Lock nut", "Spring washer", "Threaded rod", "Anchor", "Rivet", "Cotter pin"], ["M4", "M6", "M8", "M10", "M12", "M16"], "EUR"),
    ("Silbury Paper", "paper", ["Copy paper", "Card stock", "Envelope", "Label sheet", "Kraft roll", "Tracing paper"], ["80 g", "100 g", "120 g", "160 g", "200 g"], "GBP"),
    ("Northgate Chemicals", "laboratory chemicals", ["Acetone", "Ethanol", "Isopropanol", "Sulfuric acid", "Sodium hydroxide", "Citric acid", "Glycerol"], ["1 L", "2.5 L", "5 L", "25 L"], "USD"),
]


def prices():
    for i, (vendor, trade, items, sizes, currency) in enumerate(VENDORS):
        r = random.Random(900 + i)
        level = {(a, b): r.uniform(4, 90) * (1 + j) for a in items for j, b in enumerate(sizes)}
        for quarter in (1, 2, 3, 4):
            level = {k: v * r.uniform(0.97, 1.09) for k, v in level.items()}
            d = Document(f"{vendor.split()[0].lower()}-price-list-2024-q{quarter}.pdf", f"{vendor} price list, quarter {quarter} of 2024", f"{vendor} | Price List Q{quarter} 2024 | Prices without tax")
            minimum, freight = r.randint(2, 9) * 50, r.randint(9, 40)
            d.put("h1", f"{vendor}: price list for {trade}")
            d.text(f"Valid from the first day of quarter {quarter} of 2024. Prices are in {currency} per box and do not include tax.", "valid")
            d.text(f"The minimum order is {currency} {minimum}. Below it we charge {currency} {freight} for freight.", "minimum")
            rows = [(f"{a} {b}", [f"{a} {b}", f"{vendor[:2].upper()}-{items.index(a)}{sizes.index(b)}{quarter}", f"{v:,.2f}"]) for (a, b), v in level.items()]
            d.table("Prices per box", f"(in {currency}, without tax)", ["Item", "Order number", "Price"], rows)
            d.put("h2", "Discounts")
            d.text(f"Orders of more than {r.randint(10, 60)} boxes receive {r.randint(3, 12)} percent. Discounts cannot be combined.", "discount")
            yield i, quarter, level, minimum, d
