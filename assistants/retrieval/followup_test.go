package retrieval

import (
	"slices"
	"strings"
	"testing"
)

// said makes turns of a user's questions, each with an answer.
func said(questions ...string) []Turn {
	var turns []Turn
	for _, q := range questions {
		turns = append(turns, Turn{RoleUser, q}, Turn{RoleAssistant, "As it says [1]."})
	}
	return turns
}

func TestAQuestionThatLeansIsSearchedWithWhatItLeansOn(t *testing.T) {
	for _, c := range []struct {
		before, question string
		want             string // terms that must be searched for
		without          string // terms that must not
	}{
		{"What was the revenue growth in 2022?", "and in 2023?", "revenu growth 2023", "2022"},
		{"How many vacation days do full-time employees get?", "What about trainees?", "vacat day traine", ""},
		{"What is the notice period during probation?", "Does it also hold for interns?", "notic period probat intern", ""},
		{"Which expenses are reimbursed for business trips?", "How do I hand them in?", "expens reimburs busi trip hand", ""},
		{"What does section 4.2 say about backups?", "and 4.3?", "backup 4.3", "4.2"},
		{"How do I reset the device?", "why?", "reset devic", ""},
		{"Wie lange ist die Kündigungsfrist in der Probezeit?", "und für Azubis?", "kundigungsfrist probezeit azubis", ""},
		{"Wie hoch war der Umsatz 2022?", "Und 2023?", "umsatz 2023", "2022"},
		{"Welche Kosten werden bei Dienstreisen erstattet?", "Gilt das auch für Praktikanten?", "kost dienstreis praktikant", ""},
		{"Was steht in der Garantie?", "Wie lange gilt sie?", "garanti", ""},
		{"Che cosa fa il file .toc di LaTeX?", "E per le figure?", "latex figur", ""},
		{"Come scelgo un formato di carta?", "Posso cambiarlo dopo?", "cart form", ""},
		{"What does the coordinate format of GPSBabel look like?", "How would I write half a mile there?", "coordin gpsbabel mile", ""},
		{"Quel est le délai de préavis pendant la période d'essai ?", "et pour les stagiaires ?", "stagiair del preav", ""},
		{"¿Cuánto cuesta la entrada al museo?", "¿y para los niños?", "entrad muse nin", ""},
		{"¿Cuánto cuesta la entrada al museo?", "¿Quién lo paga?", "entrad muse pag", ""},
		{"Qual é o prazo de entrega?", "e para estagiários?", "praz estagiar", ""},
		{"Wat is de opzegtermijn?", "en voor stagiairs?", "opzegtermijn stagiair", ""},
		{"Quanto dura la garanzia?", "o a Roma?", "garanz rom", ""},
		{"Wie lange gilt die Garantie?", "was kostet er?", "garanti", ""},
		{"How long is the warranty?", "no I mean batteries", "warranti batteri", ""},
		{"Comment configurer le serveur de sauvegarde ?", "Est-ce qu'il chiffre les données ?", "serveur sauvegard chiffr", ""},
	} {
		p := planOf(c.question, said(c.before))
		if len(p.list) != 1 {
			t.Errorf("%q after %q is searched in %d ways: %q", c.question, c.before, len(p.list), p.texts())
			continue
		}
		terms := p.list[0].terms
		for _, want := range strings.Fields(c.want) {
			if !slices.ContainsFunc(terms, func(term string) bool { return strings.HasPrefix(term, want) }) {
				t.Errorf("%q after %q: no %q in %q", c.question, c.before, want, terms)
			}
		}
		for _, not := range strings.Fields(c.without) {
			if slices.Contains(terms, not) || strings.Contains(p.list[0].text, not) {
				t.Errorf("%q after %q: %q in %q, %q", c.question, c.before, not, terms, p.list[0].text)
			}
		}
		if p.question != p.list[0].text {
			t.Errorf("the question is %q", p.question)
		}
	}
}

func TestAQuestionThatStandsByItselfIsSearchedAlone(t *testing.T) {
	for _, c := range []struct{ before, question string }{
		{"What was the revenue growth in 2022?", "How many vacation days do full-time employees get per year?"},
		{"How do I reset the device?", "Is it possible to export all invoices as PDF files?"},
		{"How do I reset the device?", "Which file formats does the importer support for spreadsheets?"},
		{"Wie hoch war der Umsatz 2022?", "Wie viele Urlaubstage bekommen Vollzeitbeschäftigte pro Jahr?"},
		{"Wie hoch war der Umsatz 2022?", "Können Sie mir sagen, welche Dateiformate der Import unterstützt?"},
		{"Wie hoch war der Umsatz 2022?", "Gibt es Zuschüsse zur betrieblichen Altersvorsorge?"},
		{"Quel est le chiffre d'affaires de 2022 ?", "Combien de jours de congé ont les employés à temps plein ?"},
		{"How do I reset the device?", "Thanks. Another question: is it loud?"},
		{"Wie hoch war der Umsatz 2022?", "Danke. Anderes Thema: Gibt es das auch in Blau?"},
		{"Quel est le chiffre d'affaires de 2022 ?", "Autre question : quel courant passe dans la sonde ?"},
		{"Come genero l'indice analitico?", "Grazie. Un'altra cosa: che lingue ci sono?"},
		{"¿Cuánto cuesta la entrada al museo?", "Gracias. Otra pregunta: ¿cuántos días de vacaciones hay?"},
		{"Wat is de opzegtermijn?", "Welke documenten moet ik voor mijn aanvraag inleveren?"},
		{"Qual é o prazo de entrega?", "Quantos dias de férias têm os funcionários por ano?"},
		{"Quel est le chiffre d'affaires de 2022 ?", "Y a-t-il une assurance pour les voyages professionnels ?"},
	} {
		p := planOf(c.question, said(c.before))
		if len(p.list) != 1 || p.list[0].text != c.question || p.question != c.question {
			t.Errorf("%q after %q is searched as %q", c.question, c.before, p.texts())
		}
	}
}

func TestAShortQuestionWithoutASignIsSearchedBothWays(t *testing.T) {
	p := planOf("Parental leave?", said("What was the revenue growth in 2022?"))
	if len(p.list) != 2 || p.list[1].text != "Parental leave?" || !strings.Contains(p.list[0].text, "revenue") || p.list[0].share+p.list[1].share != 1 {
		t.Errorf("%+v", p.list)
	}
	if p.question != "Parental leave?" {
		t.Errorf("the question is %q", p.question)
	}
}

func TestAQuestionThatLeansOnOneThatLeansGoesFurtherBack(t *testing.T) {
	p := planOf("and in Berlin?", said("What is the parking fee for visitors?", "and on weekends?"))
	if text := p.list[0].text; !strings.Contains(text, "parking fee") || !strings.Contains(text, "weekends") {
		t.Errorf("%q", text)
	}
	p = planOf("and in Berlin?", said("Who repairs the coffee machine in the kitchen?", "What is the parking fee for visitors?"))
	if text := p.list[0].text; strings.Contains(text, "coffee") {
		t.Errorf("an older topic comes along: %q", text)
	}
}

func TestAPronounMayStandForANameInTheAnswer(t *testing.T) {
	p := planOf("When did she join?", []Turn{{RoleUser, "Who leads the support team?"}, {RoleAssistant, "The team is led by Jane Smith [1]."}})
	if !slices.Contains(p.list[0].terms, "smith") {
		t.Errorf("%q", p.list[0].terms)
	}
}

func TestWithoutEarlierQuestionsNothingIsAdded(t *testing.T) {
	for _, before := range [][]Turn{nil, {{RoleSystem, "Be kind."}, {RoleAssistant, "Hello!"}}, {{RoleUser, "  "}}} {
		if p := planOf("and in 2023?", before); len(p.list) != 1 || p.list[0].text != "and in 2023?" {
			t.Errorf("%+v", p.list)
		}
	}
	if p := planOf("what about it?", nil); !p.empty() {
		t.Errorf("a question of nothing is searched by %+v", p.list)
	}
}

// FuzzPlans holds any conversation to what a search needs.
func FuzzPlans(f *testing.F) {
	f.Add("and in 2023?", "What was it in 2022?", "Jane Smith")
	f.Add("Und für Sie?", "…", "\xff")
	f.Add("¿y 4.3?", "1. 2. 3.", "")
	f.Fuzz(func(t *testing.T, question, before, answer string) {
		p := planOf(clip(question), []Turn{{RoleUser, before}, {RoleAssistant, answer}})
		shares := 0.0
		for _, a := range p.list {
			if len(a.terms) == 0 || a.share <= 0 || !strings.HasSuffix(a.text, clip(question)) {
				t.Errorf("%+v", a)
			}
			shares += a.share
		}
		if !p.empty() && shares != 1 {
			t.Errorf("shares of %v in %+v", shares, p.list)
		}
		if len(strings.Join(p.texts(), "")) > 2*len(question)+4*maxTurnsBack*maxCarried+2*maxAnswered {
			t.Error("too much is carried")
		}
	})
}

// TestTheLanguageOfAQuestionIsThatOfItsSearch: signs of a follow-up are looked for in the language
// in which the question's words are searched.
func TestTheLanguageOfAQuestionIsThatOfItsSearch(t *testing.T) {
	for _, c := range []struct {
		before, question string
		want             language
	}{
		{"", "Kündigungsfrist Probezeit", german},
		{"", "¿Cuánto cuesta la entrada?", spanish},
		{"How long is the warranty?", "no I mean batteries", english},
		{"Quanto dura la garanzia?", "Copre anche le batterie?", italian},
		{"Wie hoch war der Umsatz 2022?", "in 2023?", german},
		{"Quel est le prix ?", "2023 ?", french},
		{"", "2023?", english},
	} {
		if got := languageOf(c.question, []string{c.before}); got != c.want {
			t.Errorf("%q after %q is %s, want %s", c.question, c.before, languageCodes[got], languageCodes[c.want])
		}
	}
}
