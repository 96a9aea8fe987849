"""Annual reports of fictional companies: the same statements, year after year."""

import random

from typeset import Document

YEARS = [2020, 2021, 2022, 2023]

# Name, short name, trade, products, segments, regions, currency sign, unit, first revenue, city.
COMPANIES = [
    ("Halvorsen Marine Systems, Inc.", "Halvorsen", "marine propulsion", "propellers, thrusters and shaft seals", ["Propulsion", "Aftermarket"], ["Americas", "Europe", "Asia Pacific"], "$", "millions", 1840.0, "Duluth, Minnesota"),
    ("Brightwater Foods Corporation", "Brightwater", "packaged foods", "soups, sauces and frozen meals", ["Grocery", "Food Service"], ["United States", "Canada", "International"], "$", "millions", 5120.0, "Boise, Idaho"),
    ("Corvane Semiconductor, Inc.", "Corvane", "power semiconductors", "silicon carbide switches and gate drivers", ["Automotive", "Industrial"], ["Greater China", "Europe", "Americas"], "$", "millions", 2310.0, "Austin, Texas"),
    ("Meridian Outdoor Group, Inc.", "Meridian", "outdoor clothing", "jackets, boots and backpacks", ["Wholesale", "Direct to Consumer"], ["North America", "EMEA", "Asia"], "$", "thousands", 904300.0, "Burlington, Vermont"),
    ("Tessaly Water Holdings plc", "Tessaly", "water supply", "drinking water and wastewater services", ["Regulated", "Non-regulated"], ["England", "Wales", "Other"], "£", "millions", 1275.0, "Bristol"),
    ("Orrin Freight Lines, Inc.", "Orrin", "road freight", "truckload and less-than-truckload services", ["Truckload", "Logistics"], ["Midwest", "South", "Mexico"], "$", "millions", 3330.0, "Omaha, Nebraska"),
]


def model(company, seed):
    """The figures of all years and of the year before the first."""
    r, name = random.Random(seed), company[1]
    revenue, years = company[8], {}
    ppe, debt, cash, retained, dead = revenue * 0.46, revenue * 0.38, revenue * 0.09, revenue * 0.31, revenue * 0.012
    shares = round(r.uniform(60, 240), 1)
    for year in [2019, *YEARS]:
        f = {"revenue": revenue}
        f["cogs"] = revenue * r.uniform(0.54, 0.68)
        f["gross"] = revenue - f["cogs"]
        f["rnd"], f["sga"] = revenue * r.uniform(0.015, 0.06), revenue * r.uniform(0.11, 0.17)
        f["da"] = ppe * r.uniform(0.09, 0.13)
        f["restructuring"] = revenue * r.uniform(0.001, 0.012)
        f["operating"] = f["gross"] - f["rnd"] - f["sga"] - f["restructuring"]
        f["interest"] = debt * r.uniform(0.028, 0.052)
        f["pretax"] = f["operating"] - f["interest"]
        f["rate"] = r.uniform(0.19, 0.27)
        f["tax"] = f["pretax"] * f["rate"]
        f["net"] = f["pretax"] - f["tax"]
        shares -= r.uniform(0.2, 1.6)
        f["shares"] = shares
        f["eps"] = f["net"] / shares if company[7] == "millions" else f["net"] / shares / 1000
        f["capex"], f["acquisitions"] = revenue * r.uniform(0.03, 0.08), revenue * r.choice([0, 0.01, 0.03])
        f["dividends"], f["buyback"] = f["net"] * r.uniform(0.2, 0.4), f["net"] * r.uniform(0.05, 0.3)
        f["receivables"], f["inventory"] = revenue * r.uniform(0.11, 0.16), f["cogs"] * r.uniform(0.13, 0.24)
        f["payables"], f["accrued"] = f["cogs"] * r.uniform(0.09, 0.15), revenue * r.uniform(0.05, 0.08)
        f["working"] = revenue * r.uniform(-0.02, 0.02)
        f["stock"] = revenue * r.uniform(0.004, 0.015)
        f["cfo"] = f["net"] + f["da"] + f["stock"] + f["working"]
        f["borrowed"] = revenue * r.uniform(-0.02, 0.04)
        f["cfi"] = -(f["capex"] + f["acquisitions"])
        f["cff"] = f["borrowed"] - f["dividends"] - f["buyback"]
        cash = max(cash + f["cfo"] + f["cfi"] + f["cff"], revenue * 0.03)
        ppe += f["capex"] - f["da"]
        debt += f["borrowed"]
        retained += f["net"] - f["dividends"]
        f.update(cash=cash, ppe=ppe, debt=debt, retained=retained, goodwill=company[8] * 0.21 + dead, current_debt=debt * 0.07)
        f["current_assets"] = cash + f["receivables"] + f["inventory"]
        f["assets"] = f["current_assets"] + ppe + f["goodwill"]
        f["current_liabilities"] = f["payables"] + f["accrued"] + f["current_debt"]
        f["liabilities"] = f["current_liabilities"] + debt * 0.93 + revenue * 0.05
        f["equity"] = f["assets"] - f["liabilities"]
        f["lease"], f["pension"] = revenue * r.uniform(0.02, 0.05), revenue * r.uniform(0.005, 0.02)
        f["segment"] = revenue * r.uniform(0.55, 0.72)
        f["regions"] = [0.5 + r.uniform(-0.06, 0.06), 0.3 + r.uniform(-0.05, 0.05)]
        f["employees"] = int(revenue * (2.4 if company[7] == "millions" else 0.0026)) + r.randint(-90, 90)
        f["sites"], f["customer"] = r.randint(9, 31), r.randint(10, 24)
        f["backlog"] = revenue * r.uniform(0.3, 0.6)
        f["facility"] = round(company[8] * r.uniform(0.2, 0.35), -1)
        f["maturities"] = [debt * x for x in (0.07, 0.11, 0.18, 0.22, 0.42)]
        years[year] = f
        revenue *= r.uniform(0.95, 1.17)
    return {"name": name, "years": years}


def report(company, figures, year):
    """One annual report."""
    full, short, trade, products, segments, regions, sign, unit, _, city = company
    f, p = figures["years"][year], figures["years"][year - 1]
    digits = 1 if unit == "millions" else 0
    n = lambda v: f"({abs(v):,.{digits}f})" if v < 0 else f"{v:,.{digits}f}"  # noqa: E731
    pair = lambda k: [n(f[k]), n(p[k])]  # noqa: E731
    minus = lambda k: [n(-f[k]), n(-p[k])]  # noqa: E731
    ended = f"December 31, {year}"
    d = Document(f"{short.lower()}-annual-report-{year}.pdf", f"{full} Annual Report {year}", f"{full} | Annual Report {year} | Form of the fiscal year ended {ended}")
    units = f"({sign} in {unit}, except per share amounts)"
    heads = [str(year), str(year - 1)]
    more = "rose" if f["revenue"] > p["revenue"] else "fell"

    d.put("cover", full)
    d.put("centred", "ANNUAL REPORT")
    d.put("centred", f"For the fiscal year ended {ended}", "period")
    d.put("centred", f"Principal offices: {city}", "offices")
    d.page()
    d.put("h1", "Table of Contents")
    for title in ["Letter to Shareholders", "Item 1. Business", "Item 1A. Risk Factors", "Item 2. Properties", "Item 3. Legal Proceedings", "Item 7. Management's Discussion and Analysis", "Report of Independent Registered Public Accounting Firm", "Consolidated Statements of Income", "Consolidated Balance Sheets", "Consolidated Statements of Cash Flows", "Notes to Consolidated Financial Statements"]:
        d.text(title + " " + ". " * 30)
    d.page()
    d.put("h1", "Letter to Shareholders")
    d.text(f"Fiscal {year} was a year in which {short} kept its promises. Our people in {city} and at our other sites delivered {products} to customers who had to plan from week to week.")
    d.text(f"We invested in our plants, paid a dividend in each quarter and bought back shares. The board has set three goals for fiscal {year + 1}: safer work, shorter lead times and less debt.", "goals")
    d.text("Margins, cash and growth are discussed in the pages that follow. We thank you for your trust.")
    d.put("h1", "Item 1. Business")
    d.text(f"{full} is a supplier of {trade}. We make and sell {products}. We report two segments: {segments[0]} and {segments[1]}.", "segments")
    d.put("h2", "Human Capital")
    d.text(f"At {ended} we had approximately {f['employees']:,} employees, of whom about {f['sites'] + 11} percent are covered by collective agreements.", "employees")
    d.put("h2", "Customers")
    d.text(f"One customer accounted for {f['customer']} percent of our net sales in {year} ({p['customer']} percent in {year - 1}). No other customer accounted for more than ten percent.", "customer")
    d.put("h2", "Backlog")
    d.text(f"Unfilled firm orders at year end were {sign}{n(f['backlog'])} {unit[:-1]}, compared with {sign}{n(p['backlog'])} {unit[:-1]} a year before.", "backlog")
    d.page()
    d.put("h1", "Item 1A. Risk Factors")
    for text in [f"Demand for {trade} is cyclical, and a downturn could reduce our net sales, operating income and cash flow.", "Prices of materials and freight may rise faster than we can raise our own. Our cost of products sold would then increase.", f"We depend on a few customers. The loss of one of them, or lower orders for {products}, would harm our results.", "We have debt. Our credit agreement contains covenants on leverage and interest coverage, and a breach would allow lenders to demand repayment.", "Exchange rates, tax law, cyber attacks and the weather may harm our business in ways that we cannot foresee."]:
        d.text(text + " Any of these could have a material adverse effect on our financial condition, results of operations and liquidity.")
    d.put("h1", "Item 2. Properties")
    d.text(f"We operate {f['sites']} manufacturing and distribution sites. The principal offices are in {city}. We believe that our properties are suitable for our business.", "sites")
    d.put("h1", "Item 3. Legal Proceedings")
    d.text(f"We are party to claims in the ordinary course of business. In {year} a court in {city.split(',')[0]} dismissed the complaint of a former distributor. We do not expect a material effect.", "legal")
    d.page()
    d.put("h1", "Item 7. Management's Discussion and Analysis")
    d.put("h2", "Results of Operations")
    d.text(f"Net sales {more} {abs(f['revenue'] / p['revenue'] - 1) * 100:.1f} percent to {sign}{n(f['revenue'])} {unit[:-1]} in {year}. Volume, price and currency contributed; the largest part came from the {segments[0]} segment.", "growth")
    d.table("Net Sales by Segment", units, ["Segment", *heads], [("segment0", [segments[0], n(f["segment"]), n(p["segment"])]), ("segment1", [segments[1], n(f["revenue"] - f["segment"]), n(p["revenue"] - p["segment"])]), (None, ["Total", *pair("revenue")])], style="h2")
    d.put("h2", "Restructuring")
    d.text(f"We recorded restructuring charges of {sign}{n(f['restructuring'])} {unit[:-1]} in {year}, mostly for severance at the site that we closed.", "restructuring")
    d.put("h2", "Liquidity and Capital Resources")
    d.text(f"Cash provided by operating activities was {sign}{n(f['cfo'])} {unit[:-1]}. We have a revolving credit facility of {sign}{n(f['facility'])} {unit[:-1]}, which was undrawn at {ended} and expires in {year + 4}.", "facility")
    d.text("We believe that cash, cash from operations and the credit facility will meet our needs for at least the next twelve months.")
    d.page()
    d.put("h1", "Report of Independent Registered Public Accounting Firm")
    d.text(f"To the shareholders and the board of directors of {full}. We have audited the consolidated balance sheets as of {ended} and December 31, {year - 1}, and the related statements of income and of cash flows. In our opinion they present fairly, in all material respects, the financial position of the company.")
    d.put("h2", "Critical Audit Matters")
    matter = ["goodwill impairment", "revenue recognition", "valuation of inventories", "uncertain tax positions"][(year + len(short)) % 4]
    d.text(f"The critical audit matter communicated below arose from the audit of the current period and relates to {matter}. It involved especially challenging, subjective or complex judgments.", "audit")
    d.page()
    d.table("Consolidated Statements of Income", units, ["Years ended December 31,", *heads], [
        ("revenue", ["Net sales", *pair("revenue")]), ("cogs", ["Cost of products sold", *pair("cogs")]), ("gross", ["Gross profit", *pair("gross")]),
        ("rnd", ["Research and development expenses", *pair("rnd")]), ("sga", ["Selling, general and administrative expenses", *pair("sga")]), (None, ["Restructuring charges", *pair("restructuring")]),
        ("operating", ["Operating income", *pair("operating")]), ("interest", ["Interest expense", *pair("interest")]), ("pretax", ["Income before income taxes", *pair("pretax")]),
        ("tax", ["Provision for income taxes", *pair("tax")]), ("net", ["Net income", *pair("net")]), ("eps", ["Earnings per common share, diluted", f"{f['eps']:.2f}", f"{p['eps']:.2f}"]), ("shares", ["Weighted average shares outstanding, diluted (in millions)", f"{f['shares']:.1f}", f"{p['shares']:.1f}"])])
    d.text("The accompanying notes are an integral part of these statements.")
    d.page()
    assets = [(None, ["Assets", "", ""]), ("cash", ["Cash and cash equivalents", *pair("cash")]), ("receivables", ["Trade receivables, net", *pair("receivables")]), ("inventory", ["Inventories", *pair("inventory")]), ("current_assets", ["Total current assets", *pair("current_assets")]),
        ("ppe", ["Property, plant and equipment, net", *pair("ppe")]), ("goodwill", ["Goodwill", *pair("goodwill")]), ("assets", ["Total assets", *pair("assets")])]
    claims = [(None, ["Liabilities and shareholders' equity", "", ""]), ("payables", ["Trade payables", *pair("payables")]), ("accrued", ["Accrued liabilities", *pair("accrued")]), ("current_debt", ["Current maturities of long-term debt", *pair("current_debt")]), ("current_liabilities", ["Total current liabilities", *pair("current_liabilities")]),
        ("liabilities", ["Total liabilities", *pair("liabilities")]), ("retained", ["Retained earnings", *pair("retained")]), ("equity", ["Total shareholders' equity", *pair("equity")]), (None, ["Total liabilities and shareholders' equity", *pair("assets")])]
    sheet = ["As of December 31,", *heads]
    if len(short) % 2:
        d.table("Consolidated Balance Sheets", units, sheet, assets)
        d.page()
        d.table("Consolidated Balance Sheets (continued)", units, sheet, claims)
    else:  # it begins low on its page, so that it goes on over the end of the page
        for _ in range(year % 3 + 33):
            d.put("foot", "&nbsp;")
        d.table("Consolidated Balance Sheets", units, sheet, assets + claims)
    d.page()
    d.table("Consolidated Statements of Cash Flows", units.replace(", except per share amounts", ""), ["Years ended December 31,", *heads], [
        (None, ["Operating activities", "", ""]), (None, ["Net income", *pair("net")]), ("da", ["Depreciation and amortization", *pair("da")]), ("stock", ["Share-based compensation", *pair("stock")]), (None, ["Changes in working capital", *pair("working")]), ("cfo", ["Net cash provided by operating activities", *pair("cfo")]),
        (None, ["Investing activities", "", ""]), ("capex", ["Purchases of property, plant and equipment", *minus("capex")]), ("acquisitions", ["Acquisition of businesses, net of cash acquired", *minus("acquisitions")]), ("cfi", ["Net cash used in investing activities", *pair("cfi")]),
        (None, ["Financing activities", "", ""]), ("borrowed", ["Proceeds from (repayments of) borrowings, net", *pair("borrowed")]), ("dividends", ["Cash dividends paid", *minus("dividends")]), ("buyback", ["Repurchases of common stock", *minus("buyback")]), ("cff", ["Net cash used in financing activities", *pair("cff")])])
    d.page()
    d.put("h1", "Notes to Consolidated Financial Statements")
    d.put("h2", "Note 1. Summary of Significant Accounting Policies")
    life = 25 + (len(short) + year) % 3 * 5
    d.text(f"Inventories are stated at the lower of cost and net realizable value, with cost determined by the {'first-in, first-out' if len(short) % 2 else 'average cost'} method. Buildings are depreciated over {life} years and machinery over {life // 4 + 2} years by the straight-line method.", "policies")
    d.text("Revenue is recognized when control of the goods passes to the customer, usually on shipment. Research and development costs are expensed as incurred.")
    d.put("h2", "Note 2. Revenue")
    shares = [f["regions"][0], f["regions"][1], 1 - sum(f["regions"])]
    before = [p["regions"][0], p["regions"][1], 1 - sum(p["regions"])]
    d.table("Net Sales by Region", units.replace(", except per share amounts", ""), ["Region", *heads], [(f"region{i}", [g, n(f["revenue"] * shares[i]), n(p["revenue"] * before[i])]) for i, g in enumerate(regions)], style="h2")
    d.put("h2", "Note 3. Long-Term Debt")
    d.table("Maturities of Long-Term Debt", units.replace(", except per share amounts", ""), ["Year", "Amount"], [(f"maturity{i}", [str(year + 1 + i) if i < 4 else "Thereafter", n(m)]) for i, m in enumerate(f["maturities"])], style="h2")
    d.page()
    d.put("h2", "Note 4. Leases")
    d.text(f"Operating lease liabilities were {sign}{n(f['lease'])} {unit[:-1]} at {ended}. The weighted average remaining lease term was {4 + year % 5}.{len(short) % 10} years.", "lease")
    d.put("h2", "Note 5. Income Taxes")
    d.text(f"The effective tax rate was {f['rate'] * 100:.1f} percent in {year} and {p['rate'] * 100:.1f} percent in {year - 1}. The difference from the statutory rate is due to state taxes and credits.", "rate")
    d.put("h2", "Note 6. Employee Benefits")
    d.text(f"We contributed {sign}{n(f['pension'])} {unit[:-1]} to our pension plans in {year} and expect to contribute a similar amount in {year + 1}.", "pension")
    d.put("h2", "Note 7. Subsequent Events")
    d.text(f"On February {3 + year % 20}, {year + 1} the board declared a quarterly dividend and authorized the repurchase of further shares.", "subsequent")
    return d


def documents():
    """All reports, with what the questions need to know of each."""
    for i, company in enumerate(COMPANIES):
        figures = model(company, 100 + i)
        for year in YEARS:
            yield company, figures, year, report(company, figures, year)
