"""Questions about the family, in the words of those who ask: analysts, lawyers, buyers and users.

Each wording belongs to one of the two sets only, so that a rule which was made
for a wording of the first set is not measured by it in the second.
"""

import random

# What an analyst asks: the facts that answer, and wordings. c is the company, y the year, fy its short form.
ANALYST = [
    (["capex"], ["What is the FY{y} capital expenditure amount for {c}?", "How much did {c} spend on capex in fiscal {y}?", "What were {c}'s capital expenditures in {y}? Answer by looking at the cash flow statement only.", "Give {c}'s {fy} capex."]),
    (["revenue"], ["What was {c}'s total revenue in {y}?", "How large was the top line of {c} in FY{y}?", "What is {c}'s {fy} turnover?", "State the {y} net revenues of {c}, as shown in the statement of income."]),
    (["gross", "revenue"], ["What is {c}'s gross margin for FY{y}?", "What share of {c}'s sales was left after COGS in {y}?", "Did {c}'s gross margin improve in FY{y}? Use the P&L only.", "Compute the {y} gross profit margin of {c}."]),
    (["operating", "revenue"], ["What was the operating margin of {c} in {y}?", "What is {c}'s {fy} EBIT margin?", "How profitable were {c}'s operations in FY{y}, as a percent of revenue?", "Operating profit of {c} for {y}?"]),
    (["net"], ["What was the bottom line of {c} in FY{y}?", "How much profit after tax did {c} make in {y}?", "What were {c}'s net earnings in fiscal {y}?", "Give the {fy} net profit of {c} in the currency of the report."]),
    (["eps"], ["What is {c}'s diluted EPS for {y}?", "How much did {c} earn per share in FY{y}?", "{c} {fy}: earnings per share?", "By looking at the income statement, what were {c}'s profits per share in {y}?"]),
    (["cogs"], ["What was {c}'s COGS in FY{y}?", "What is the {y} cost of sales of {c}?", "How much did the goods cost that {c} sold in {y}?", "Cost of goods sold by {c}, {fy}?"]),
    (["ppe"], ["Did {c} grow its PPNE between {py} and {y}?", "What is the year end FY{y} net PP&E of {c}?", "How large were {c}'s fixed assets at the end of {y}?", "What is {c}'s net PPNE for {fy}?"]),
    (["inventory", "cogs"], ["What is {c}'s inventory turnover ratio for FY{y}?", "How often did {c} turn its stock in {y}?", "What were the days inventory outstanding of {c} in {y}?", "DIO of {c} in {fy}?"]),
    (["receivables", "revenue"], ["How long did customers of {c} take to pay in FY{y} (DSO)?", "What are the days sales outstanding of {c} for {y}?", "What is {c}'s {y} receivables turnover?", "How much did customers owe {c} at the end of {y}?"]),
    (["payables", "cogs"], ["What is the FY{y} days payable outstanding of {c}?", "How much did {c} owe to its suppliers at the end of {y}?", "What is {c}'s year end {fy} accounts payable?", "Calculate DPO for {c} in {y}."]),
    (["current_assets", "current_liabilities"], ["Is {c}'s liquidity healthy, judged by its quick ratio for FY{y}?", "What is the current ratio of {c} at the end of {y}?", "What was {c}'s working capital at year end {y}?", "{c} {fy}: working capital ratio?"]),
    (["cash"], ["How much cash did {c} hold at the end of FY{y}?", "What is the {y} closing cash position of {c}?", "What are {c}'s liquid funds as of December 31, {y}?", "Cash balance of {c}, year end {fy}?"]),
    (["assets"], ["How big was the balance sheet of {c} at the end of {y}?", "What are the total assets of {c} for FY{y}?", "What is {c}'s asset base as of year end {y}?", "Give {c}'s {fy} assets in all."]),
    (["equity", "liabilities"], ["What is the debt to equity ratio of {c} in FY{y}?", "What was {c}'s book value at the end of {y}?", "How leveraged was {c} at the end of {y}?", "Net worth of {c} in {fy}?"]),
    (["cfo"], ["How much cash did {c}'s business generate in {y}?", "What is {c}'s FY{y} operating cash flow?", "What is the CFO of {c} for {y}? Use the statement of cash flows only.", "Cash from operations of {c} in {fy}?"]),
    (["cfo", "capex"], ["What is the free cash flow of {c} in FY{y}?", "What FCF did {c} generate in {y}?", "How much of {c}'s operating cash flow was left after investment in plants in {y}?", "Compute {c}'s {fy} free cash flow in USD millions."]),
    (["dividends"], ["How much did {c} pay out to shareholders as dividends in FY{y}?", "What is the {y} dividend payout of {c} in cash?", "What dividends did the owners of {c} receive in {y}?", "{c}'s cash dividends, {fy}?"]),
    (["buyback"], ["How much did {c} spend on buybacks in {y}?", "What was spent on share repurchases by {c} in FY{y}?", "How much of its own stock did {c} buy in {y}?", "{c} {fy} buyback amount?"]),
    (["da"], ["What is {c}'s D&A for FY{y}?", "What did {c} write down on plants and intangibles in {y}?", "What is the {y} depreciation charge of {c}?", "Depreciation and amortisation of {c}, {fy}?"]),
    (["sga"], ["What was {c}'s SG&A in FY{y}?", "How much did {c} spend on sales and administration in {y}?", "What are the {y} overheads of {c}?", "SG&A expenses of {c} in {fy}?"]),
    (["rnd"], ["What did {c} spend on R&D in {y}?", "What is {c}'s FY{y} research spending?", "How much did {c} invest in developing products in {y}?", "R&D expense of {c}, {fy}?"]),
    (["rate"], ["What was {c}'s effective tax rate in FY{y}?", "What percentage of its profit did {c} pay in taxes in {y}?", "Which tax rate applied in effect to {c} in {y}?", "ETR of {c} for {fy}?"]),
    (["interest"], ["What is {c}'s interest cost in {y}?", "How much did {c} pay its lenders in interest in FY{y}?", "What did borrowing cost {c} in {y}?", "Interest coverage of {c} in {fy}?"]),
    (["maturity1"], ["How much debt of {c} falls due two years after FY{y}, according to the {y} report?", "When must {c} repay its long-term debt, as of the end of {y}?", "What is the repayment schedule of {c}'s borrowings in the {y} report?", "Debt maturities of {c}, {fy}?"]),
    (["segment0"], ["Which segment of {c} sold most in {y}?", "How are {c}'s FY{y} sales split between its segments?", "Which business line drove {c}'s revenue in {y}?", "Segment sales of {c}, {fy}?"]),
    (["region1"], ["In which regions did {c} sell in {y}, and how much?", "What is the geographic split of {c}'s FY{y} revenue?", "How much of {c}'s {y} revenue came from each part of the world?", "{c} {fy} sales by geography?"]),
    (["employees"], ["How many people worked for {c} at the end of {y}?", "What was {c}'s headcount in FY{y}?", "How large was the workforce of {c} in {y}?", "Staff of {c} at year end {fy}?"]),
    (["customer"], ["How dependent was {c} on its biggest customer in {y}?", "Does {c} have customer concentration in FY{y}?", "What share of {c}'s {y} sales came from its largest client?", "Largest customer of {c} in {fy}: which share?"]),
    (["facility"], ["How large is the revolver of {c} in the {y} report?", "When does {c}'s credit line end, as of FY{y}?", "Was {c}'s bank line used at the end of {y}?", "Undrawn credit lines of {c}, {fy}?"]),
    (["restructuring"], ["What were {c}'s restructuring costs in FY{y}?", "What did the site closure cost {c} in {y}?", "Were there severance charges at {c} in {y}?", "Restructuring at {c} in {fy}: how much?"]),
    (["audit"], ["What is the critical audit matter in {c}'s {y} report?", "What did the auditors of {c} find hardest to judge in FY{y}?", "Which topic did {c}'s auditor single out in {y}?", "CAM of {c} in {fy}?"]),
    (["policies"], ["Does {c} use FIFO in {y}?", "Over how many years does {c} depreciate buildings, according to its {y} report?", "How does {c} value inventory in FY{y}?", "Useful life of {c}'s machines, {fy}?"]),
    (["backlog"], ["How large was {c}'s order book at the end of {y}?", "What orders were not yet delivered by {c} at year end {y}?", "Backlog of {c} in FY{y}?", "Unfilled orders at {c}, {fy}?"]),
    (["lease"], ["What does {c} owe under operating leases at the end of {y}?", "How long do {c}'s leases still run on average, FY{y}?", "What are the {y} lease liabilities of {c}?", "Lease obligations of {c}, {fy}?"]),
    (["legal"], ["Which lawsuits did {c} report in {y}?", "Is {c} involved in litigation, FY{y}?", "How did the distributor's claim against {c} end in {y}?", "Court cases of {c} in {fy}?"]),
]

# What a lawyer asks. t is the kind of contract, w the other party; the newest document with the clause answers.
LAWYER = {
    "fee": ["What does {w} pay per year under the {t} as it stands now?", "How much is the yearly charge in the {t} at present?"],
    "pay": ["Within which period must invoices be settled under the {t} today?", "What payment terms apply to the {t} after all changes?"],
    "notice": ["How much notice must be given to get out of the {t} without cause?", "How early must {w} say that it wants to leave the {t}?"],
    "cap": ["What is the maximum that a party can be made to pay for damages under the {t}?", "How is liability capped in the {t} as amended?"],
    "term": ["How long does the {t} run, as amended?", "What is the duration of the {t} now?"],
    "uptime": ["Which availability does the current {t} promise?", "What service level must be reached under the {t} as last amended?"],
    "interest": ["What happens if {w} pays late under the {t}?", "Which default interest does the {t} provide for?"],
    "cure": ["How long does a party have to put a breach right under the {t}?", "What is the cure period of the {t}?"],
    "confidential": ["For how long must secrets be kept after the {t} ends?", "How long does the NDA part of the {t} survive?"],
    "law": ["Which country's law applies to the {t}?", "What is the choice of law in the {t}?"],
    "assign": ["Can {w} transfer the {t} to someone else?", "Is consent needed to hand over the {t} to a third party?"],
    "force": ["Who bears delays from storms or strikes under the {t}?", "What does the {t} say about acts of God?"],
}
# The same about one version. a names it.
VERSION = {
    "fee": ["Which fee did {a} to the {t} set?", "What annual amount does {a} of the {t} contain?"],
    "notice": ["What notice period was agreed in {a} to the {t}?", "To what did {a} of the {t} change the notice for leaving?"],
    "term": ["To how many years did {a} extend the {t}?", "What does {a} to the {t} say about its duration?"],
    "cap": ["What cap on damages does {a} to the {t} introduce?", "How did {a} change liability in the {t}?"],
}

# What a user of a device asks. m is the model, v the version, e an error code.
USER = {
    "code1": ["My {m} (manual version {v}) shows {e}. What should I do?", "What does {e} mean on the {m}, according to version {v} of the manual?"],
    "code2": ["{m} v{v}: the display says {e}, how do I fix it?", "Error {e} on a {m}, manual {v}.0: which remedy?"],
    "weight": ["How heavy is the {m} in manual version {v}?", "What does the {m} weigh (version {v})?"],
    "noise": ["How loud is the {m} according to manual v{v}?", "Decibels of the {m}, version {v} of the manual?"],
    "power": ["How many watts does the {m} draw, manual version {v}?", "Electricity use of the {m} in version {v}.0?"],
    "warranty": ["How long is the guarantee of the {m} in version {v} of its manual?", "For how many months is the {m} covered if something breaks (manual v{v})?"],
    "clean": ["How often must I wash the filter of the {m}, version {v}?", "Maintenance interval of the {m}'s sieve in manual {v}.0?"],
    "cable": ["How far from the socket can the {m} stand (manual version {v})?", "Length of the power cord of the {m}, v{v}?"],
}

# What a buyer asks. i is the item, n the vendor, q the quarter.
BUYER = ["What does a box of {i} cost at {n} in the {q} quarter of 2024?", "Q{k} 2024 price of {i} from {n}?", "How much must we pay {n} for {i} in Q{k}?", "Order number of {i} in the {n} list for Q{k} 2024?", "What is the newest price of {i} at {n}?", "How much is {i} now, according to {n}?"]
MINIMUM = ["From which order value does {n} deliver free of charge in Q{k} 2024?", "What is the smallest order that {n} accepts without freight in Q{k}?"]
ORDINAL = {1: "first", 2: "second", 3: "third", 4: "fourth"}


def pages(document, keys):
    found = sorted({p for key in keys for p in document.pages.get(key, [])})
    if not found:
        raise ValueError(f"{document.name} has none of {keys}")
    return found


class Sets:
    """The two sets. Wordings of even place go to the first, of odd place to the second."""

    def __init__(self):
        self.lists = ([], [])

    def add(self, place, kind, document, keys, text, also=()):
        rows = self.lists[place % 2]
        row = {"id": f"{kind}-{'th'[place % 2]}{len(rows) + 1:03}", "document": document.name, "language": "en", "question": text, "pages": pages(document, keys), "kind": kind}
        if also:
            row["also"] = [{"document": other.name, "pages": pages(other, keys)} for other in also]
        rows.append(row)


def ask(family):
    r, sets = random.Random(42), Sets()
    reports = {(company[1], year): document for company, _, year, document in family["reports"]}
    names, years = sorted({c for c, _ in reports}), sorted({y for _, y in reports})
    for n, (keys, wordings) in enumerate(ANALYST):
        for place, wording in enumerate(wordings):
            c, y = names[(n * 5 + place * 3) % len(names)], years[(n * 3 + place) % len(years)]
            later = reports.get((c, y + 1))
            # The report of the next year repeats the figure in its second column.
            repeated = later is not None and not any(k.startswith(("maturity", "policies", "audit", "legal", "facility", "lease", "employees", "restructuring")) for k in keys) and "report" not in wording and "PPNE between" not in wording
            sets.add(place, "analyst", reports[c, y], keys, wording.format(c=c, y=y, fy=f"FY{y % 100}", py=y - 1), [later] if repeated else [])
    contracts = {}
    for i, version, terms, document in family["contracts"]:
        contracts.setdefault(i, []).append(document)
    for i, versions in contracts.items():
        title, parties = versions[0].title.split(": ")
        other = parties.split(" and ")[1]
        for key, wordings in LAWYER.items():
            newest = next(d for d in reversed(versions) if key in d.pages)
            for place, wording in enumerate(wordings):
                if r.random() < 0.6:
                    sets.add(place, "lawyer", newest, [key], wording.format(t=title, w=other))
        for key, wordings in VERSION.items():
            for number, document in enumerate(versions):
                if number and key in document.pages:
                    for place, wording in enumerate(wordings):
                        sets.add(place, "lawyer", document, [key], wording.format(t=title, a=f"Amendment No. {number}"))
    for i, version, facts, document in family["manuals"]:
        model = document.title.split(" user manual")[0]
        codes = [t["row"] for t in document.tables if t["fact"].startswith("code")]
        for n, (key, wordings) in enumerate(USER.items()):
            if (n + i + version) % 3:
                continue
            for place, wording in enumerate(wordings):
                sets.add(place, "user", document, [key], wording.format(m=model, v=version, e=codes[int(key[4:])] if key.startswith("code") else ""))
    lists = {}
    for i, quarter, _, _, document in family["prices"]:
        lists.setdefault(i, {})[quarter] = document
    for i, quarters in lists.items():
        vendor = quarters[1].title.split(" price list")[0]
        items = [t["fact"] for t in quarters[1].tables]
        for place, wording in enumerate(BUYER * 2):
            quarter = 4 if "{k}" not in wording and "{q}" not in wording else 1 + (place + i) % 4
            item = r.choice(items)
            sets.add(place, "buyer", quarters[quarter], [item], wording.format(i=item, n=vendor, k=quarter, q=ORDINAL[quarter]))
        for place, wording in enumerate(MINIMUM):
            quarter = 1 + (i + place * 2) % 4
            sets.add(place, "buyer", quarters[quarter], ["minimum"], wording.format(n=vendor, k=quarter))
    return sets.lists
