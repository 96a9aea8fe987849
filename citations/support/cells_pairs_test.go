package support

import (
	"strings"
	"testing"
)

const (
	segments = "Revenue by segment, in millions of euros\nSegment | 2022 | 2023\nProducts | 80.2 | 76.1\nServices | 111.4 | 121.9\nTraining | 14.0 | 14.0"
	accounts = "Accounts of the group, in millions of euros\nItem | 2022 | 2023\nRevenue | 1,100 | 1,200\nOperating costs | 900 | 870\nNet loss | (35) | (20)"
	devices  = "Device | Weight (kg) | Warranty (years) | Price (EUR)\nAlpha | 3.6 | 5 | 149\nBeta | 4.8 | 2 | 199\nGamma Pro | 5.1 | 3 | 249"
	fruit    = "Fruit | Price\nRed apples | 5.00 €\nApples | 4.00 €\nGreen pears | 3.00 €"
)

// Of two values and two columns that a claim names, each value belongs to a column.
func TestEachValueBelongsToItsColumn(t *testing.T) {
	for claim, want := range map[string][2]string{
		"Services was 111.4 in 2022 and 121.9 in 2023.":                {segments, Supported},
		"Services was 121.9 in 2022 and 111.4 in 2023.":                {segments, Unsupported},
		"In 2022 Services was 111.4, and in 2023 it was 121.9.":        {segments, Supported},
		"In 2022 Services was 121.9, and in 2023 it was 111.4.":        {segments, Unsupported},
		"Services was 121.9 in 2023, after 111.4 in 2022.":             {segments, Supported},
		"Services was 111.4 in 2023, after 121.9 in 2022.":             {segments, Unsupported},
		"Services rose from 111.4 in 2022 to 121.9 in 2023.":           {segments, Supported},
		"Services rose from 121.9 in 2022 to 111.4 in 2023.":           {segments, Unsupported},
		"Services fell from 121.9 in 2022 to 111.4 in 2023.":           {segments, Unsupported},
		"Services fell from 111.4 in 2022 to 121.9 in 2023.":           {segments, Unsupported},
		"Products fell from 80.2 in 2022 to 76.1 in 2023.":             {segments, Supported},
		"Products fell from 76.1 in 2022 to 80.2 in 2023.":             {segments, Unsupported},
		"Products rose from 80.2 in 2022 to 76.1 in 2023.":             {segments, Unsupported},
		"Training was 14.0 in 2022 and 14.0 in 2023.":                  {segments, Supported},
		"Revenue grew from 1,100 in 2022 to 1,200 in 2023.":            {accounts, Supported},
		"Revenue grew from 1,200 in 2022 to 1,100 in 2023.":            {accounts, Unsupported},
		"The Alpha has a weight of 3.6 kg and a warranty of 5 years.":  {devices, Supported},
		"The Beta has a weight of 4.8 kg and a price of 199 euros.":    {devices, Supported},
		"The Beta has a warranty of 2 years and a price of 199 euros.": {devices, Supported},
		"Yoga costs €6 for members and €11 for visitors.":              {"Class | Members | Visitors\nYoga | €6 | €11\nDance | €5 | €14", Supported},
		"Yoga costs €11 for members and €6 for visitors.":              {"Class | Members | Visitors\nYoga | €6 | €11\nDance | €5 | €14", Unsupported},
		"Members pay €11 for Yoga, visitors €6.":                       {"Class | Members | Visitors\nYoga | €6 | €11\nDance | €5 | €14", Unsupported},
		"Members pay €6 for Yoga, visitors €11.":                       {"Class | Members | Visitors\nYoga | €6 | €11\nDance | €5 | €14", Supported},
		"Yoga kostet für Mitglieder 11 € und für Gäste 6 €.":           {"Kurs | Mitglieder | Gäste\nYoga | 6 € | 11 €\nTanz | 5 € | 14 €", Unsupported},
		"Yoga kostet für Mitglieder 6 € und für Gäste 11 €.":           {"Kurs | Mitglieder | Gäste\nYoga | 6 € | 11 €\nTanz | 5 € | 14 €", Supported},
		"Revenue rose from 1,100 to 1,200 in 2023.":                    {accounts, Supported},
		"Revenue rose from 1,200 to 1,100 in 2023.":                    {accounts, Unsupported},
		"Revenue rose from 1,000 to 1,200 in 2023.":                    {accounts, Unsupported},
		"Revenue rose to 1,200 in 2023 from 1,100 in 2022.":            {accounts, Supported},
		"Revenue rose to 1,100 in 2023 from 1,200 in 2022.":            {accounts, Unsupported},
		"Revenue grew from 5 in 2020 to 8 in 2023.":                    {"Item | 2020 | 2023\nRevenue | 5 | 8\nCosts | 3 | 9", Supported},
		"Revenue grew from 8 in 2020 to 5 in 2023.":                    {"Item | 2020 | 2023\nRevenue | 5 | 8\nCosts | 3 | 9", Unsupported},
		"Le chiffre d'affaires est passé de 40 en 2022 à 52 en 2023.":  {"Poste | 2022 | 2023\nChiffre d'affaires | 40 | 52\nCoûts | 31 | 33", Weak},
		"Le chiffre d'affaires est passé de 52 en 2022 à 40 en 2023.":  {"Poste | 2022 | 2023\nChiffre d'affaires | 40 | 52\nCoûts | 31 | 33", Unsupported},
		"Der Umsatz stieg von 40 im Jahr 2022 auf 52 im Jahr 2023.":    {"Posten | 2022 | 2023\nUmsatz | 40 | 52\nKosten | 31 | 33", Supported},
		"Der Umsatz stieg von 52 im Jahr 2022 auf 40 im Jahr 2023.":    {"Posten | 2022 | 2023\nUmsatz | 40 | 52\nKosten | 31 | 33", Unsupported},
		"Services in 2022 and 2023 was 111.4 and 121.9, respectively.": {segments, Supported},
		"Services in 2022 and 2023 was 121.9 and 111.4, respectively.": {segments, Unsupported},
	} {
		if level := checked(claim, want[0]).Level; level != want[1] {
			t.Errorf("%q is %s, want %s", claim, level, want[1])
		}
	}
}

// A value needs the unit and the scale that the cell, its header or the title has.
func TestAValueOfACellHasItsUnitAndScale(t *testing.T) {
	for claim, want := range map[string][2]string{
		"The Alpha weighs 3.6 kg.":                 {devices, Supported},
		"The Alpha weighs 3.6 kilograms.":          {devices, Supported},
		"The Alpha weighs 3,600 g.":                {devices, Supported},
		"The Alpha weighs 3.6 g.":                  {devices, Unsupported},
		"The Alpha weighs 3.6 mg.":                 {devices, Unsupported},
		"The Alpha weighs 3.6 tonnes.":             {devices, Unsupported},
		"The Alpha has a warranty of 5 years.":     {devices, Supported},
		"The Alpha has a warranty of 60 months.":   {devices, Supported},
		"The Alpha has a warranty of 5 months.":    {devices, Unsupported},
		"The Alpha costs 149 euros.":               {devices, Supported},
		"The price of the Alpha is €149.":          {devices, Supported},
		"The Alpha costs 149 cents.":               {devices, Unsupported},
		"The Alpha costs 149 dollars.":             {devices, Weak},
		"Revenue was 1,200 million euros in 2023.": {accounts, Supported},
		"Revenue was 1.2 billion euros in 2023.":   {accounts, Supported},
		"Revenue was 1,200 euros in 2023.":         {accounts, Weak},
		"Revenue was €1,200 in 2023.":              {accounts, Weak},
		"Revenue was 1,200 in 2023.":               {accounts, Supported},
		"Revenue was 1,200 billion euros in 2023.": {accounts, Unsupported},
	} {
		if level := checked(claim, want[0]).Level; level != want[1] {
			t.Errorf("%q is %s, want %s", claim, level, want[1])
		}
	}
}

// The label of a row is the one that the claim names: neither its opposite nor one with a word
// more or less.
func TestAClaimNamesTheLabelOfItsRow(t *testing.T) {
	for claim, want := range map[string][2]string{
		"The net loss was 20 million euros in 2023.":   {accounts, Supported},
		"The net income was 20 million euros in 2023.": {accounts, Unsupported},
		"Net income was 20 million.":                   {"In millions\n\nItem | 2023\nCosts | 100\nNet loss | (20)", Unsupported},
		"Net loss was 20 million.":                     {"In millions\n\nItem | 2023\nCosts | 100\nNet loss | (20)", Supported},
		"Domestic exports were 20 tonnes.":             {"Flow | Tonnes\nDomestic imports | 20\nTransit | 14", Unsupported},
		"Domestic imports were 20 tonnes.":             {"Flow | Tonnes\nDomestic imports | 20\nTransit | 14", Supported},
		"Net income was 20 million euros in 2023.":     {accounts, Unsupported},
		"The net profit was 20 million euros in 2023.": {accounts, Weak},
		"Red apples cost 5.00 euros.":                  {fruit, Supported},
		"Apples cost 4.00 euros.":                      {fruit, Supported},
		"Apples cost 5.00 euros.":                      {fruit, Unsupported},
		"Red apples cost 4.00 euros.":                  {fruit, Unsupported},
		"Large apples cost 5.00 euros.":                {fruit, Unsupported},
		"Large apples cost 4.00 euros.":                {fruit, Weak},
		"Large pears cost 3.00 euros.":                 {fruit, Weak},
		"Green pears cost 3.00 euros.":                 {fruit, Supported},
		"Pears cost 3.00 euros.":                       {fruit, Supported},
		"The Alpha weighs 3.6 kg.":                     {devices, Supported},
		"The Alpha Pro weighs 3.6 kg.":                 {devices, Weak},
		"The new Alpha weighs 3.6 kg.":                 {devices, Weak},
		"The Gamma Pro weighs 5.1 kg.":                 {devices, Supported},
		"The Alpha once weighed 3.6 kg.":               {devices, Unsupported},
	} {
		if level := checked(claim, want[0]).Level; level != want[1] {
			t.Errorf("%q is %s, want %s", claim, level, want[1])
		}
	}
}

// Of true claims, with a plus, and false ones about five tables only the true ones are supported.
func TestOnlyTrueClaimsAboutCellsAreSupported(t *testing.T) {
	sal := "Site | Staff | Revenue (million EUR) | Speed (km/h) | Area (km²) | Temp (°C)\nLyon | 40 | 12 | 90 | 7 | 21\nOslo | 52 | 31 | 80 | 9 | -4"
	fin := "Group accounts, in thousands\n\nItem | FY 2022 | FY 2023 | Change\nRevenue | 1,100 | 1,200 | 9.1 %\nOperating profit | 90 | 80 | -11.1 %\nEmployees | 310 | 330 | 6.5 %"
	dose := "Drug | Adults (mg) | Children (mg)\nCalvex | 40 | 10\nDurol | 200 | 50"
	hours := "Shop | Monday | Tuesday | Sunday\nNord | 9-18 | 9-20 | closed\nSued | 10-16 | 8-14 | 11-15"
	plan := "Plan | Monthly price | Yearly price | Storage (GB) | Users\nBasic | $5 | $50 | 10 | 1\nTeam | $12 | $120 | 100 | 5\nTeam Plus | $20 | $200 | 500 | 20"
	for _, x := range []struct {
		text   string
		claims string
	}{
		{sal, `+Lyon has 40 staff.
+Lyon has 40 staff and revenue of 12 million euros.
-Lyon has 12 staff and revenue of 40 million euros.
-Lyon has revenue of 12 euros.
-Lyon has revenue of €12.
+The revenue of Lyon is €12 million.
+The revenue of Lyon is 12,000,000 euros.
+The speed at Lyon is 90 km/h.
-The speed at Lyon is 90 m/s.
-The speed at Lyon is 90 mph.
+The area of Lyon is 7 km².
-The area of Lyon is 7 hectares.
-The area of Lyon is 7 m².
+The temp at Lyon is 21 °C.
-The temp at Lyon is 21 °F.
-The temp at Oslo is 4 °C.
+The temp at Oslo is -4 °C.
-Oslo and Lyon have staff of 40 and 52.

-Lyon has 52 staff, Oslo has 40 staff.`},
		{fin, `+Revenue rose 9.1 % to 1,200 thousand in FY 2023.
+Revenue rose by 9.1 % from 1,100 in 2022 to 1,200 in 2023.
-Revenue rose by 9.1 % from 1,200 in 2022 to 1,100 in 2023.
+Operating profit fell from 90 in 2022 to 80 in 2023.
-Operating profit fell from 80 in 2022 to 90 in 2023.
-Operating profit rose from 90 in 2022 to 80 in 2023.
-Operating loss was 80 in 2023.
-The operating deficit was 80 in 2023.
-Operating profit was 90 in 2023, compared with 80 in 2022.
+Operating profit was 80 in 2023 (2022: 90).
-Operating profit was 90 in 2023 (2022: 80).
+Operating profit was 80 (2022: 90) in 2023.
+Revenue in 2023 was 1,200 and in 2022 was 1,100.
-Revenue in 2023 was 1,100 and in 2022 was 1,200.
+Revenue was 1,100 and 1,200 in 2022 and 2023.
-Revenue was 1,200 and 1,100 in 2022 and 2023.
-Revenue was 1,200 dollars in 2023.
-Revenue was $1,200 in 2023.
-Consolidated revenue was 1,200 in 2024.
-Gross operating profit was 80 in 2023.`},
		{dose, `+Adults take 40 mg of Calvex and children 10 mg.
-Adults take 10 mg of Calvex and children 40 mg.
+Calvex: 40 mg for adults, 10 mg for children.
-Calvex: 10 mg for adults, 40 mg for children.
-Children take 10 g of Calvex.
+Children take 10 mg of Calvex.
+Children take 0.01 g of Calvex.
-Calvex Forte: 40 mg for adults.
-Calvex forte is 40 mg for adults.`},
		{plan, `+The Basic plan costs $5 monthly and $50 yearly.
-The Basic plan costs $50 monthly and $5 yearly.
+The Team plan has a monthly price of $12.
-The Team plan has a monthly price of $20.
-The Team plan has a yearly price of $200.
+The Team Plus plan has a monthly price of $20.
-The Team Plus plan has a monthly price of $12.
-The Team Max plan has a monthly price of $12.
-The Basic plan has 10 TB of storage.
+The Basic plan has 10 GB of storage.
+The Team plan has 100 GB of storage and 5 users.
-The Team plan has 5 GB of storage and 100 users.
-The old Team plan has a monthly price of $12.
-The Team plan formerly had a monthly price of $12.
-The Team plan once had a monthly price of $12.`},
		{hours, `+On Sunday, Nord is closed.
-On Monday, Nord is closed.`},
	} {
		for claim := range strings.Lines(x.claims) {
			claim = strings.TrimSpace(claim)
			if claim == "" {
				continue
			}
			level := checked(claim[1:], x.text).Level
			if (claim[0] == '+') != (level == Supported) {
				t.Errorf("%s is %s", claim, level)
			}
		}
	}
}

// An answer may quote a row as headers with their cells.
func TestAQuotedRowIsSupported(t *testing.T) {
	pay := "| Band | Typical role | Minimum (GBP) | Midpoint (GBP) |\n|---|---|---|---|\n| A | Assembly operator | 25,400 | 28,900 |\n| B | Technician | 29,800 | 34,500 |\n"
	for claim, supported := range map[string]bool{
		"Band: A; Typical role: Assembly operator; Minimum (GBP): 25,400; Midpoint (GBP): 28,900.": true,
		"Band: B; Midpoint (GBP): 34,500.": true,
		"Band: A; Midpoint (GBP): 34,500.": false,
		"Band: A; Minimum (GBP): 28,900.":  false,
		"Band: C; Midpoint (GBP): 34,500.": false,
	} {
		if level := checked(claim, pay).Level; (level == Supported) != supported {
			t.Errorf("%q is %s", claim, level)
		}
	}
}

// A claim about several rows is not denied by one of them that has only its own value.
func TestValuesOfSeveralRowsAreNotDenied(t *testing.T) {
	years, ports := "Year | Visitors\n2021 | 4,100\n2022 | 5,200\n2023 | 6,900", "Port | Ships | Cranes\nVarna | 310 | 12\nBurgas | 275 | 9"
	for claim, want := range map[string][2]string{
		"Visitors rose from 4,100 in 2021 to 6,900 in 2023.": {years, Weak},
		"Visitors rose from 6,900 in 2021 to 4,100 in 2023.": {years, Unsupported},
		"Varna handled 310 ships and Burgas 275.":            {ports, Weak},
		"Varna handled 275 ships and Burgas 310.":            {ports, Unsupported},
	} {
		if level := checked(claim, want[0]).Level; level != want[1] {
			t.Errorf("%q is %s, want %s", claim, level, want[1])
		}
	}
}
