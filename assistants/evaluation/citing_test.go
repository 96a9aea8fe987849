package evaluation

import "testing"

func TestAnAnswerIsRightIfTheExpectedWordsStandInIt(t *testing.T) {
	for _, c := range []struct{ expected, answer, want string }{
		{"20 kg", "A colony needs **20 kg** of honey [1].", Pass},
		{"20 kg", "A colony needs 20 [1] kg of honey.", Pass},
		{"20 kg", "It needs 120 kg.", Fail},
		{"20 kg", "It needs twenty kilograms.", Fail},
		{"Four weeks", "The period is four\nweeks [2].", Pass},
		{"121.9 million", "€ 121.9 million", Pass},
		{"the notice period is four weeks long", "Four weeks.", Unclear},
		{"–", "anything", Unclear},
		{"月末まで", "月末まで。", Pass},
	} {
		if got := rightByWords(c.expected, c.answer); got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.expected, c.answer, got, c.want)
		}
	}
}
