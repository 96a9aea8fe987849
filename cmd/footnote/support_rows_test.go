package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"footnote/citations"
	"footnote/citations/formattest"
	"footnote/citations/support"
)

// passagesOnly is the member of a request that brings its passages and searches nothing.
func passagesOnly(passages ...string) string {
	var list []string
	for i, text := range passages {
		list = append(list, fmt.Sprintf(`{"id":"p%d","name":"p%d.txt","text":%s}`, i, i, quoted(text)))
	}
	return `,"retrieval_options":{"passages":[` + strings.Join(list, ",") + `],"only":true}`
}

// checkedAlike asks the program for an answer as JSON and as streams cut in three ways, and
// returns the object, which must be the same in all of them.
func (l *listener) checkedAlike(t *testing.T, says, also string) citations.Citations {
	t.Helper()
	whole := l.asked(t, "unknown", speech{Says: says, How: "json"}, also)
	for _, how := range []string{"whole", "thirds", "runes"} {
		if got := l.asked(t, "unknown", speech{Says: says, How: how}, also); !bytes.Equal(got, whole) {
			t.Errorf("streamed %s:\n%s\nas JSON:\n%s", how, got, whole)
		}
	}
	var got citations.Citations
	if err := json.Unmarshal(whole, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// Every claim and passage of the specification's table, through the program: the level is
// the one that the table says, and a quote is a part of the passage.
func TestEveryClaimOfTheSpecificationIsCheckedThroughTheProgram(t *testing.T) {
	l := startListener(t)
	for _, c := range formattest.Cases(t, filepath.Join("..", "..", "citations", "FORMAT.md"), "Support and quote") {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			claim, passage, _ := strings.Cut(c.Text, " → ")
			got := l.checkedAlike(t, claim+" [1]", passagesOnly(passage))
			if len(got.Markers) != 1 || got.Markers[0].Support != c.Want {
				t.Fatalf("%+v, want %s", got.Markers, c.Want)
			}
			checkQuote(t, got.Markers[0].Quote, passage)
		})
	}
}

func checkQuote(t *testing.T, q *citations.Quote, passage string) {
	t.Helper()
	if q == nil {
		return
	}
	if runes := []rune(passage); q.CharEnd > len(runes) || string(runes[q.CharStart:q.CharEnd]) != q.Text || !strings.Contains(passage, q.Header) {
		t.Errorf("quote %+v is not of %q", q, passage)
	}
}

// What looked right and was not: the classes of false claims that a check of words alone
// calls supported. Each has a true claim beside it, so that not everything is refused.
func TestWhatOnlyLooksRightIsNotCalledSupported(t *testing.T) {
	l := startListener(t)
	const table = "Revenue in million euros\nSegment | 2022 | 2023\nServices | 112.3 | 121.9\nProducts | 310.4 | 322.8"
	for class, c := range map[string]struct {
		passages []string
		right    string
		wrong    []string
	}{
		"quantifier": {[]string{"Some patients recovered within a week, at most ten of them in the north."}, "Some patients recovered within a week.",
			[]string{"All patients recovered within a week.", "Every patient recovered within a week.", "Most patients recovered within a week.", "Only patients recovered within a week.",
				"At least ten of them were in the north."}},
		"one plain word": {[]string{"The backup runs weekly and the left valve is closed. The order ships within 14 days. Adults pay five euros per month."}, "The order ships within 14 days.",
			[]string{"The order ships after 14 days.", "The backup runs daily.", "The right valve is closed.", "Children pay five euros per month.", "Adults pay five euros per year."}},
		"one plain word of two": {[]string{"The upload takes an hour. The marketing budget fell. The drug cures the rash."}, "The upload takes an hour.",
			[]string{"The download takes an hour.", "The sales budget fell.", "The drug causes the rash."}},
		"roles": {[]string{"The nurse called the doctor. The tenant pays the landlord."}, "The tenant pays the landlord.",
			[]string{"The doctor called the nurse.", "The landlord pays the tenant."}},
		"roles of one": {[]string{"The nurse fills in the form. The tenant paints the door. The males sing at dawn."}, "The tenant paints the door.",
			[]string{"The doctor fills in the form.", "The landlord paints the door.", "The females sing at dawn."}},
		"second half": {[]string{"Error E1042 means that the queue is full."}, "Error E1042 means that the queue is full.",
			[]string{"Error E1042 means that the queue is full and the broker shuts down."}},
		"exchange": {[]string{"Model A weighs 4.1 kg.", "Model B weighs 3.6 kg."}, "Model A weighs 4.1 kg and model B weighs 3.6 kg.",
			[]string{"Model A weighs 3.6 kg and model B weighs 4.1 kg."}},
		"modality": {[]string{"The update may fix the crash. The bridge will be closed. Nobody was hurt in the storm."}, "The update may fix the crash.",
			[]string{"The update fixes the crash.", "The bridge was closed.", "Two people were hurt in the storm."}},
		"other languages": {[]string{"La garantía cubre la batería hasta el 3 de marzo."}, "La garantía cubre la batería.",
			[]string{"La garantía no cubre la batería.", "La garantía cubre la batería hasta el 3 de mayo."}},
		"a dropped negation": {[]string{"Il bar non accetta le carte. A água não é potável. De winkel is niet open. Garantin gäller inte batteriet. Гарантия не действует. الضمان لا يشمل البطارية."},
			"Il bar non accetta le carte.",
			[]string{"Il bar accetta le carte.", "A água é potável.", "De winkel is open.", "Garantin gäller batteriet.", "Гарантия действует.", "الضمان يشمل البطارية."}},
		"comparison": {[]string{"Sales were higher in 2022 than in 2023."}, "Sales were lower in 2023 than in 2022.",
			[]string{"Sales were higher in 2023 than in 2022.", "Sales were lower in 2022 than in 2023."}},
		"owner": {[]string{"The board rejected the proposal of the director."}, "The director's proposal was rejected by the board.",
			[]string{"The director rejected the proposal of the board.", "The board rejected the director.", "The director's board made a proposal."}},
		"case": {[]string{"Der Trainer lobte den Torwart nach dem Spiel."}, "Den Torwart lobte der Trainer nach dem Spiel.",
			[]string{"Den Trainer lobte der Torwart nach dem Spiel.", "Der Torwart lobte den Trainer nach dem Spiel."}},
		"tense": {[]string{"The chairman will resign in May."}, "In May the chairman is going to resign.",
			[]string{"The chairman resigned in May.", "The chairman has resigned.", "The chairman is resigning."}},
		"duty": {[]string{"Guests need not pay in cash. Drivers should take a break."}, "Guests need not pay in cash.",
			[]string{"Guests must not pay in cash.", "Guests have to pay in cash.", "Drivers must take a break."}},
		"reported": {[]string{"The supplier said the parts were shipped on Tuesday."}, "According to the supplier, the parts were shipped on Tuesday.",
			[]string{"The parts were shipped on Tuesday.", "The supplier denied that the parts were shipped on Tuesday."}},
		"tables": {[]string{table}, "Services revenue rose to €121.9 million in 2023.",
			[]string{"Services revenue was €112.3 million in 2023.", "Products revenue was €121.9 million in 2023.", "Services revenue fell to €121.9 million in 2023."}},
	} {
		t.Run(class, func(t *testing.T) {
			t.Parallel()
			markers := " [1]."
			if len(c.passages) > 1 {
				markers = " [1][2]."
			}
			for i, claim := range append([]string{c.right}, c.wrong...) {
				got := l.checkedAlike(t, strings.TrimSuffix(claim, ".")+markers, passagesOnly(c.passages...))
				for _, m := range got.Markers {
					if (m.Support == support.Supported) != (i == 0) {
						t.Errorf("%q is %s", claim, m.Support)
					}
				}
				if len(got.Markers) != len(c.passages) {
					t.Errorf("%q: %+v", claim, got.Markers)
				}
			}
		})
	}
}
