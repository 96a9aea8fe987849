package lexical

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// texts returns the distinct terms of a document.
func texts(doc string) []string {
	var out []string
	for _, t := range Terms(doc) {
		if !slices.Contains(out, t.Text) {
			out = append(out, t.Text)
		}
	}
	return out
}

// finds reports whether a document has every term of a question.
func finds(question, doc string) bool {
	q, d := QueryTerms(question), texts(doc)
	for _, term := range q {
		if !slices.Contains(d, term) {
			return false
		}
	}
	return len(q) > 0
}

func TestTermsPointAtTheWordsTheyCameFrom(t *testing.T) {
	doc := "Ｔｈｅ Größe of 25kg — 有給休暇。"
	want := []struct{ term, word string }{
		{"gross", "Größe"}, {"25", "25"}, {"kg", "kg"}, {"有", "有"}, {"有給", "有給"}, {"休暇", "休暇"},
	}
	terms := Terms(doc)
	for _, w := range want {
		if !slices.ContainsFunc(terms, func(t Term) bool { return t.Text == w.term && doc[t.Start:t.End] == w.word }) {
			t.Errorf("no term %q at %q in %v", w.term, w.word, terms)
		}
	}
}

func TestSameWordsInOtherSpellingsMatch(t *testing.T) {
	for _, pair := range [][2]string{
		{"policies", "policy"}, {"running", "runs"}, {"vacation days", "Vacation Day"},
		{"employees' contracts", "the employee’s contract"},
		{"cafe", "Café"}, {"naive resume", "naïve résumé"},
		{"ＡＢＣ", "abc"}, {"ﬁne", "fine"}, {"Straße", "STRASSE"}, {"smorrebrod", "smørrebrød"},
		{"coop\u00aderation", "cooperation"},
		{"Москва", "москва"}, {"Αθήνα", "αθηνα"},
		{"avis", "l’avis"},
		{"e\u0301te\u0301", "été"},
	} {
		a, b := texts(pair[0]), texts(pair[1])
		if !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) }) {
			t.Errorf("%q gives %q, %q gives %q", pair[0], a, pair[1], b)
		}
	}
}

func TestGermanQuestionsFindInflectedGermanWords(t *testing.T) {
	for question, doc := range map[string]string{
		"Wie viele Urlaubstage habe ich?":           "Jeder Mitarbeiter hat Anspruch auf 30 Urlaubstage.",
		"Wie lange ist die Kündigungsfrist?":        "Die Kündigungsfristen betragen drei Monate.",
		"Was passiert bei Kuendigung?":              "Was bei Kündigungen passiert",
		"Welche Häuser hat die Firma?":              "Der Firma gehört ein Haus",
		"Brauche ich einen Ausweis?":                "Ausweise werden am Empfang ausgegeben",
		"Wer zahlt die Reisekosten?":                "Reisekosten zahlt der Arbeitgeber",
		"Wo sind die Formulare für Krankmeldungen?": "Das Formular zur Krankmeldung liegt aus",
	} {
		if !finds(question, doc) {
			t.Errorf("%q: %q not all in %q", question, QueryTerms(question), texts(doc))
		}
	}
}

func TestAWordAloneFindsItselfInAnyLanguage(t *testing.T) {
	for _, w := range []string{
		"Kündigung", "Kuendigungsfrist", "Ausweis", "Haus", "Krankheit", "schedule", "Onboarding",
		"vacaciones", "congé", "отпуск", "عطلة", "休暇", "年假", "疫苗", "연차", "ลาป่วย", "コンピュータ", "税", "Q3", "A4", "GPT4",
	} {
		for _, doc := range []string{w, "The " + w + " is described here.", "Das " + w + " ist nicht hier.", "「" + w + "」"} {
			if !finds(w, doc) {
				t.Errorf("%q: %q not in %q", w, QueryTerms(w), texts(doc))
			}
		}
	}
}

func TestTwoCharacterWordsAreFoundInsideOfText(t *testing.T) {
	for question, doc := range map[string]string{
		"年假":       "员工每年享有15天带薪年假。",
		"休暇":       "社員は年間二十日の有給休暇を取得できます。",
		"病假":       "员工请病假必须提供医院证明",
		"费用":       "差旅费用的报销",
		"리모트":      "리모트근무는 주 2회 가능합니다",
		"ลาป่วย":   "พนักงานมีสิทธิลาป่วยได้สามสิบวัน",
		"リモート":     "リモートワークの規程",
		"ﾘﾓｰﾄ":     "リモートワークの規程", // half width
		"税":        "税込価格",
		"Ｗｉ－Ｆｉ 設定": "Wi-Fiの設定方法",
	} {
		if !finds(question, doc) {
			t.Errorf("%q: %q not in %q", question, QueryTerms(question), texts(doc))
		}
	}
	if finds("假年", "年假") {
		t.Error("a word is found where its characters stand the other way round")
	}
}

func TestNumbersAreComparedByValue(t *testing.T) {
	for in, want := range map[string][]string{
		"1,000": {"1000"}, "1.000": {"1000"}, "1'000": {"1000"}, "1000": {"1000"}, "１,０００": {"1000"},
		"4.2": {"4.2"}, "4,2": {"4.2"}, "0.125": {"0.125"}, "4.10": {"4.10"}, "٤٥": {"45"},
		"1,234,567.89": {"1234567.89"}, "1.234.567,89": {"1234567.89"},
		"2024-03-05": {"2024", "3", "5"}, "05.03.2024": {"5", "3", "2024"}, "3/5/2024": {"3", "5", "2024"},
		"1,2,3": {"1", "2", "3"}, "192.168.1.1": {"192", "168", "1"}, "007": {"7"}, "000": {"0"},
		"25kg": {"25", "kg"}, "4.2B": {"4.2", "b"}, "3rd": {"3"}, "Q3": {"q3"}, "90%": {"90"}, "10:30": {"10", "30"},
		"snake_case": {"snake", "snak", "case", "cas"}, "1.": {"1"}, "12345,678": {"12345.678"},
	} {
		if got := texts(in); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func TestFunctionWordsGiveNoTerms(t *testing.T) {
	for _, doc := range []string{"", "  \n", "the of and to is it", "der und ist nicht für", "-- !? … 😀 \u200b", "\xff\xfe", "don't it's"} {
		if got := Terms(doc); len(got) > 0 {
			t.Errorf("%q gives %v", doc, got)
		}
	}
	// Words of one language that are function words of the other stay.
	if got := texts("War dies"); len(got) == 0 {
		t.Error("the English word war is lost")
	}
}

func TestEndlessWordsAreCut(t *testing.T) {
	for _, unit := range []string{"a", "ä", "7", "a'", "1.", "é\u0301", "_"} {
		for _, term := range Terms(strings.Repeat(unit, 5000)) {
			if len(term.Text) > maxWord || !utf8.ValidString(term.Text) {
				t.Errorf("%q… gives a term of %d bytes", unit, len(term.Text))
			}
		}
	}
}

func FuzzTermsStayInsideTheText(f *testing.F) {
	for _, s := range []string{"The cat.", "Größe 4,2 有給休暇は", "a\xffb", "ｶﾞｷﾞ ﾞ", "1.2.3,4'5", "กี่วัน", "İstanbul ℡", "가\u1100\u1161"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		terms := Terms(text)
		last := 0
		for _, x := range terms {
			if x.Start < last || x.End <= x.Start || x.End > len(text) {
				t.Fatalf("term %+v after %d in %d bytes", x, last, len(text))
			}
			if x.Text == "" || !utf8.ValidString(x.Text) {
				t.Fatalf("term %q", x.Text)
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[x.Start:x.End]) {
				t.Fatalf("term %+v cuts a character", x)
			}
			last = x.Start
		}
		if !slices.Equal(terms, Terms(text)) {
			t.Fatal("another result the second time")
		}
		if len(terms) > 3*len(text) {
			t.Fatalf("%d terms in %d bytes", len(terms), len(text))
		}
		q := QueryTerms(text)
		if len(q) > MaxQueryTerms {
			t.Fatalf("%d query terms", len(q))
		}
		seen := map[string]bool{}
		for _, term := range q {
			if seen[term] || term == "" || !utf8.ValidString(term) {
				t.Fatalf("query term %q", term)
			}
			seen[term] = true
		}
	})
}
