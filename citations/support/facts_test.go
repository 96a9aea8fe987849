package support

import (
	"fmt"
	"math"
	"testing"
)

// factOf returns the only fact of a text.
func factOf(t *testing.T, text string, l language) (*analysed, *fact) {
	t.Helper()
	a := analyse(text, l)
	if len(a.facts) != 1 {
		t.Errorf("%q: %d facts, want one: %+v", text, len(a.facts), a.facts)
		return a, nil
	}
	return a, &a.facts[0]
}

func TestAmountsAsTheyAreWritten(t *testing.T) {
	for _, c := range []struct {
		language language
		text     string
		value    float64
		dim      dimension
	}{
		{english, "$4.2B", 4.2e9, money},
		{english, "$4.2 billion", 4.2e9, money},
		{english, "4.2 billion dollars", 4.2e9, money},
		{english, "4,200 million dollars", 4.2e9, money},
		{english, "USD 4,200,000,000", 4.2e9, money},
		{english, "US$ 4.2bn", 4.2e9, money},
		{english, "€5m", 5e6, money},
		{english, "10k", 1e4, countless},
		{english, "1,500", 1500, countless},
		{german, "1.500", 1500, countless},
		{german, "1,5", 1.5, countless},
		{german, "1.234.567,89 Euro", 1234567.89, money},
		{german, "4,2 Mrd. Euro", 4.2e9, money},
		{german, "3 Billionen Euro", 3e12, money},
		{french, "1 500", 1500, countless},
		{french, "1\u202f500 €", 1500, money},
		{french, "3,48 Md€", 3.48e9, money},
		{french, "4,2 millions d'euros", 4.2e6, money},
		{english, "1'234'567", 1234567, countless},
		{english, "0.125", .125, countless},
		{english, "15%", 15, percent},
		{english, "15 per cent", 15, percent},
		{english, "fifteen percent", 15, percent},
		{german, "15 Prozent", 15, percent},
		{french, "15 pour cent", 15, percent},
		{english, "2 percentage points", 2, points},
		{german, "2 Prozentpunkte", 2, points},
		{english, "twenty-five", 25, countless},
		{english, "two hundred and three", 203, countless},
		{english, "one hundred thousand", 1e5, countless},
		{english, "a million", 1e6, countless},
		{german, "fünfundzwanzig", 25, countless},
		{german, "zweihundertdreizehn", 213, countless},
		{german, "dreitausendvierhundert", 3400, countless},
		{french, "vingt et un", 21, countless},
		{french, "soixante-dix", 70, countless},
		{french, "quatre-vingts", 80, countless},
		{french, "quatre-vingt-dix-sept", 97, countless},
		{french, "deux cents", 200, countless},
		{english, "two thirds", 66.67, percent},
		{german, "drei Viertel", 75, percent},
		{french, "la moitié", 50, percent},
		{english, "5 km", 5000, length},
		{english, "3 feet", .9144, length},
		{english, "85 m²", 85, area},
		{english, "-5 °C", 5, temperature},
		{english, "2 weeks", 14 * 86400, duration},
		{english, "3 hours and 10 minutes", 190 * 60, duration},
		{french, "2 h 08 min 41 s", 7721, duration},
		{english, "two years", 24, calendar},
		{english, "4 GB", 4e9, data},
		{french, "750 Mo", 750e6, data},
		{english, "15億円", 15e8, money},
		{english, "１５％", 15, percent},
	} {
		_, f := factOf(t, c.text, c.language)
		if f != nil && (f.kind != amountFact || math.Abs(f.value-c.value) > 1e-4*c.value || f.dim != c.dim) {
			t.Errorf("%q: kind %d, %v of dimension %d, want %v of %d", c.text, f.kind, f.value, f.dim, c.value, c.dim)
		}
	}
}

func TestDatesAsTheyAreWritten(t *testing.T) {
	for _, c := range []struct {
		language language
		text     string
		want     date
	}{
		{english, "2024-03-05", date{year: 2024, month: 3, day: 5}},
		{english, "2024/03/05", date{year: 2024, month: 3, day: 5}},
		{english, "March 5, 2024", date{year: 2024, month: 3, day: 5}},
		{english, "5 March 2024", date{year: 2024, month: 3, day: 5}},
		{english, "the 5th of March 2024", date{year: 2024, month: 3, day: 5}},
		{english, "Mar 2024", date{year: 2024, month: 3}},
		{english, "March 5", date{month: 3, day: 5}},
		{english, "in May", date{month: 5}},
		{english, "3/15/2024", date{year: 2024, month: 3, day: 15}},
		{english, "3/5/2024", date{year: 2024, month: 5, day: 3, swapped: true}},
		{german, "05.03.2024", date{year: 2024, month: 3, day: 5}},
		{german, "5. März 2024", date{year: 2024, month: 3, day: 5}},
		{german, "am 3. Oktober", date{month: 10, day: 3}},
		{french, "le 5 mars 2024", date{year: 2024, month: 3, day: 5}},
		{french, "le 1er janvier 2025", date{year: 2025, month: 1, day: 1}},
		{english, "Q3 2024", date{year: 2024, quarter: 3}},
		{english, "third quarter of 2024", date{year: 2024, quarter: 3}},
		{german, "3. Quartal 2024", date{year: 2024, quarter: 3}},
		{german, "drittes Quartal 2024", date{year: 2024, quarter: 3}},
		{french, "troisième trimestre 2024", date{year: 2024, quarter: 3}},
		{french, "T3 2024", date{year: 2024, quarter: 3}},
		{french, "1er semestre 2024", date{year: 2024, half: 1}},
		{english, "H1 2024", date{year: 2024, half: 1}},
		{english, "FY2024", date{year: 2024}},
		{english, "FY24", date{year: 2024}},
		{english, "2024", date{year: 2024}},
		{english, "2023/24", date{year: 2023, yearEnd: 2024}},
		{english, "the 1990s", date{year: 1990, yearEnd: 1999}},
		{german, "1990er", date{year: 1990, yearEnd: 1999}},
		{english, "2024年3月5日", date{year: 2024, month: 3, day: 5}},
	} {
		if _, f := factOf(t, c.text, c.language); f != nil && (f.kind != dateFact || f.date != c.want) {
			t.Errorf("%q: kind %d, %+v, want %+v", c.text, f.kind, f.date, c.want)
		}
	}
}

func TestFactsAreCompared(t *testing.T) {
	names := [...]string{"unlike", "rival", "near", "same"}
	for _, c := range []struct {
		claim, passage string
		want           standing
	}{
		{"$4.2B", "4.2 billion dollars", same},
		{"$4.2B", "4,200 million dollars", same},
		{"$4.2B", "€4.2B", rival},
		{"$4.2B", "$4.3B", rival},
		{"$4.2 billion", "$4,213 million", same},
		{"about 4,200", "4,213", same},
		{"15%", "51%", rival},
		{"15%", "fifteen percent", same},
		{"15%", "15 people", unlike},
		{"15%", "15 percentage points", near},
		{"3 out of 10", "30%", same},
		{"30%", "three in ten", same},
		{"2 weeks", "14 days", same},
		{"2 weeks", "2 days", rival},
		{"5 km", "5 miles", rival},
		{"2024", "March 5, 2024", same},
		{"March 2024", "2024-03-05", same},
		{"March 5, 2024", "March 2024", near},
		{"March 5, 2024", "March 6, 2024", rival},
		{"3/5/2024", "5 March 2024", same},
		{"3/5/2024", "3 May 2024", same},
		{"Q1 2024", "March 2024", same},
		{"Q1 2024", "May 2024", rival},
		{"in 1994", "the 1990s", near},
		{"the 1990s", "in 1994", same},
		{"2024", "2,024 people", unlike},
		{"1500 people", "1,500 people", same},
		{"third", "3rd", same},
		{"third", "fourth", rival},
		{"minute 12", "the 12th minute", same},
		{"3:30 pm", "15:30", same},
		{"3:30", "16:30", rival},
		{"Monday", "Tuesday", rival},
		{"A320", "A330", rival},
		{"COVID-19", "19 people", unlike},
		{"-5 °C", "5 °C", near},
	} {
		a, f := factOf(t, c.claim, english)
		b, g := factOf(t, c.passage, english)
		if f == nil || g == nil {
			continue
		}
		if got := compareFacts(a, f, b, g); got != c.want {
			t.Errorf("%q and %q: %s, want %s", c.claim, c.passage, names[got], names[c.want])
		}
	}
}

func TestNumbersThatAreNoOne(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{"millions of people", "[]"},
		{"1, 2 and 3", "[1 2 3]"},
		{"1,2,3", "[1 2 3]"},
		{"between 4 and 5 million", "[4e+06 5e+06]"},
		{"5–10%", "[5 10]"},
		{"four to five million", "[4e+06 5e+06]"},
		{"5 to 10 km", "[5000 10000]"},
		{"three and four", "[3 4]"},
	} {
		a := analyse(c.text, english)
		values := []float64{}
		for i := range a.facts {
			values = append(values, a.facts[i].value)
		}
		if got := fmt.Sprint(values); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}
