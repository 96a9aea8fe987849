package support

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

// A doing is what one does to another, in sentences that all say so, and in sentences that say the
// reverse.
type doing struct{ same, reverse []string }

// doingsIn are the sentences of one language, with the doer, the other, and the verb in their places.
func doingsIn(lang string, doer, other, verb string) doing {
	switch lang {
	case "en":
		return doing{
			[]string{capital(doer) + " " + verb + " " + other + " in May.", capital(other) + " was " + verb + " by " + doer + " in May.", "In May " + doer + " " + verb + " " + other + "."},
			[]string{capital(other) + " " + verb + " " + doer + " in May.", capital(doer) + " was " + verb + " by " + other + " in May.", "In May " + other + " " + verb + " " + doer + "."},
		}
	case "de":
		return doing{
			[]string{"Der " + doer + " " + verb + " den " + other + " im Mai.", "Den " + other + " " + verb + " der " + doer + " im Mai.", "Im Mai " + verb + " der " + doer + " den " + other + "."},
			[]string{"Der " + other + " " + verb + " den " + doer + " im Mai.", "Den " + doer + " " + verb + " der " + other + " im Mai.", "Im Mai " + verb + " der " + other + " den " + doer + "."},
		}
	}
	return doing{}
}

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Whatever the order, a sentence carries what says the same of the same two, and not the reverse.
func TestWhoDoesItIsNotExchanged(t *testing.T) {
	for _, c := range []struct{ lang, doer, other, verb string }{
		{"en", "the coach", "the goalkeeper", "praised"}, {"en", "the bank", "the pensioner", "sued"}, {"en", "the lorry", "the tram", "damaged"},
		{"en", "the surgeon", "the nurse", "interrupted"}, {"en", "the auditor", "the board", "warned"},
		{"de", "Trainer", "Torwart", "lobte"}, {"de", "Hund", "Briefträger", "jagte"}, {"de", "Verein", "Spieler", "verklagte"},
		{"de", "Minister", "Präsident", "kritisierte"}, {"de", "Bus", "Zug", "überholte"},
	} {
		d := doingsIn(c.lang, c.doer, c.other, c.verb)
		for _, passage := range d.same {
			for _, claim := range d.same {
				if level := checked(claim, passage).Level; level != Supported {
					t.Errorf("%q is %s by %q", claim, level, passage)
				}
			}
			for _, claim := range d.reverse {
				if level := checked(claim, passage).Level; level == Supported {
					t.Errorf("%q is supported by %q", claim, passage)
				}
			}
		}
	}
}

// An owner does not do what its thing does, nor is done to it what is done to its thing.
func TestWhatBelongsToAThingIsNotTheThing(t *testing.T) {
	for _, c := range []struct {
		same  []string
		wrong []string
	}{
		{[]string{"The sister of the goalkeeper trains the team.", "The goalkeeper's sister trains the team."},
			[]string{"The goalkeeper trains the team.", "The sister of the team trains the goalkeeper."}},
		{[]string{"The inspectors closed the kitchen of the hotel.", "The inspectors closed the hotel's kitchen."},
			[]string{"The inspectors closed the hotel.", "The hotel closed the kitchen of the inspectors.", "The hotel's inspectors closed the kitchen of the school."}},
		{[]string{"Der Rat verwarf den Antrag des Vereins.", "Den Antrag des Vereins verwarf der Rat."},
			[]string{"Der Rat verwarf den Verein.", "Der Verein verwarf den Antrag des Rates."}},
	} {
		for _, passage := range c.same {
			for _, claim := range c.same {
				if level := checked(claim, passage).Level; level != Supported {
					t.Errorf("%q is %s by %q", claim, level, passage)
				}
			}
			for _, claim := range c.wrong {
				if level := checked(claim, passage).Level; level == Supported {
					t.Errorf("%q is supported by %q", claim, passage)
				}
			}
		}
	}
}

// A verb carries only itself in a time that it can have.
func TestTheTimeOfAVerbIsCompared(t *testing.T) {
	for _, forms := range [][]string{
		{"The council %s the school.", "closed", "has closed", "| will close", "is going to close"},
		{"The council %s the school.", "closed", "| is closing"},
		{"The tower %s.", "was demolished", "has been demolished", "| will be demolished", "| is being demolished"},
		{"Die Stadt %s die Halle.", "sanierte"},
		{"Die Halle wird %s.", "saniert", "| sanieren"},
	} {
		groups, group := map[string]int{}, 0
		for _, form := range forms[1:] {
			if form[0] == '|' {
				group, form = group+1, form[2:]
			}
			groups[sentence(forms[0], form)] = group
		}
		for passage, one := range groups {
			for claim, other := range groups {
				level := checked(claim, passage).Level
				if one == other && level != Supported || one != other && level == Supported {
					t.Errorf("%q is %s by %q", claim, level, passage)
				}
			}
		}
	}
}

func sentence(frame, verb string) string {
	for i := range frame {
		if frame[i] == '%' {
			return frame[:i] + verb + frame[i+2:]
		}
	}
	return frame
}

// What somebody says carries what somebody says, and not that it is so; a rule says what is so.
func TestWhatSomebodySaysIsNotSo(t *testing.T) {
	const fact = "The valve leaks at night."
	told := []string{
		"The plumber says that the valve leaks at night.", "According to the plumber, the valve leaks at night.",
		"The valve leaks at night, the plumber said.", "The plumber claims the valve leaks at night.",
	}
	for _, passage := range told {
		if level := checked(fact, passage).Level; level == Supported {
			t.Errorf("%q is supported by %q", fact, passage)
		}
		for _, claim := range told {
			if level := checked(claim, passage).Level; level != Supported {
				t.Errorf("%q is %s by %q", claim, level, passage)
			}
		}
		if denied := "The plumber denies that the valve leaks at night."; checked(passage, denied).Level == Supported {
			t.Errorf("%q is supported by %q", passage, denied)
		}
	}
	for _, rule := range []string{"According to the manual, the valve leaks at night.", "Sorted according to size, the valve leaks at night."} {
		if level := checked(fact, rule).Level; level != Supported {
			t.Errorf("%q is %s by %q", fact, level, rule)
		}
	}
}
