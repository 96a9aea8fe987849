package retrieval

import (
	"fmt"
	"testing"
	"time"

	"footnote/assistants"
)

// BenchmarkChooseByProfile measures it where names say nothing, and profiles do.
func BenchmarkChooseByProfile(b *testing.B) {
	var list []assistants.DocumentName
	for i := range 5000 {
		list = append(list, assistants.DocumentName{
			ID: assistants.DocumentID(fmt.Sprint(i)), Name: fmt.Sprintf("scan-%d.pdf", i),
			Profile: assistants.Profile{Title: fmt.Sprintf("Manual of model TX-%d, %d", 1000+i, 2000+i%25), Kind: "manual", Years: []int{2000 + i%25}, Language: "en"},
		})
	}
	x := newNameIndex(nil, list, 1, time.Time{})
	const question = "What do I have to do before the pump of model TX-1204 is started for the first time, and what does the display show when the sensor is missing?"
	b.ReportAllocs()
	for b.Loop() {
		if c := x.choose(question, nil); len(c.best) != 1 {
			b.Fatal(c.best)
		}
	}
}

// BenchmarkChoose measures what naming documents costs a question among 5,000 of them.
func BenchmarkChoose(b *testing.B) {
	var list []assistants.DocumentName
	for i := range 5000 {
		name := fmt.Sprintf("Manual of model %d, %d.pdf", 1000+i, 2000+i%25)
		list = append(list, assistants.DocumentName{ID: assistants.DocumentID(name), Name: name})
	}
	x := newNameIndex(nil, list, 1, time.Time{})
	const question = "What do I have to do before the pump of model 1204 is started for the first time, and what does the display show when the sensor is missing?"
	b.ReportAllocs()
	for b.Loop() {
		if c := x.choose(question, nil); len(c.best) != 1 {
			b.Fatal(c.best)
		}
	}
}

// catalogue is n documents as people upload them, half of them with profiles. Each
// supersedes the one that is so many before it, if that number is not 0.
func catalogue(n, supersedes int) []assistants.DocumentName {
	list := make([]assistants.DocumentName, n)
	for i := range list {
		list[i] = assistants.DocumentName{ID: assistants.DocumentID(fmt.Sprintf("doc_%08d", i)), Name: fmt.Sprintf("Corvane works agreement %d on shifts, version %d.pdf", i, i%7)}
		if i%2 == 0 {
			list[i].Profile = assistants.Profile{
				Title: fmt.Sprintf("Agreement on the shifts of plant %d between management and works council", i), Kind: "contract", Years: []int{2000 + i%25}, Periods: []string{"Q3 2024"},
				Language: "en", Subjects: []string{"Corvane Holdings Inc.", "Halvorsen Marine ASA"},
			}
		}
		if supersedes > 0 && i >= supersedes {
			list[i].Supersedes = list[i-supersedes].ID
		}
	}
	return list
}

// BenchmarkNames measures what the names of 10,000 documents cost when they are read for
// the first time, and when they are read again because one more was added.
func BenchmarkNames(b *testing.B) {
	list := catalogue(10_000, 0)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			newNameIndex(nil, list, 1, time.Time{})
		}
	})
	b.Run("again", func(b *testing.B) {
		before := newNameIndex(nil, list[1:], 1, time.Time{})
		for b.Loop() {
			newNameIndex(before, list, 1, time.Time{})
		}
	})
	b.Run("a chain of 1000", func(b *testing.B) {
		chain := catalogue(1000, 1)
		for b.Loop() {
			newNameIndex(nil, chain, 1, time.Time{})
		}
	})
}

// BenchmarkSuperseded measures what 1,000 superseded documents cost a question that finds
// a few of them.
func BenchmarkSuperseded(b *testing.B) {
	x := newNameIndex(nil, catalogue(2000, 1000), 1, time.Time{})
	var matches []assistants.Match
	for i := range 50 {
		matches = append(matches, assistants.Match{DocumentID: x.documents[30*i].ID, Score: 0.9})
	}
	b.ReportAllocs()
	for b.Loop() {
		c := x.choose("What does the pump show when its sensor is missing?", nil)
		c.demote(matches, 0.3)
	}
}

// lookAlikes returns an index of n reports that differ in their numbers only, and their ids.
func lookAlikes(n int) (x *nameIndex, permitted []assistants.DocumentID) {
	list := make([]assistants.DocumentName, n)
	for i := range list {
		id := assistants.DocumentID(fmt.Sprintf("doc_%08d", i))
		list[i], permitted = assistants.DocumentName{ID: id, Name: fmt.Sprintf("Report %d.pdf", i)}, append(permitted, id)
	}
	return newNameIndex(nil, list, 1, time.Time{}), permitted
}

const askingForTheLatest = "What does the latest one say about noise?"

// TestAFilterOfManyDocumentsCostsLittle: documents that look alike are all looked at, so a
// search of the filter for each of them takes seconds.
func TestAFilterOfManyDocumentsCostsLittle(t *testing.T) {
	x, permitted := lookAlikes(20_000)
	took := func(permitted []assistants.DocumentID) time.Duration {
		least := time.Hour
		for range 3 {
			begin := time.Now()
			x.choose(askingForTheLatest, permitted)
			least = min(least, time.Since(begin))
		}
		return least
	}
	if all, filtered := took(nil), took(permitted); filtered > 6*all+20*time.Millisecond {
		t.Errorf("%v with a filter, %v without", filtered, all)
	}
}

// BenchmarkChooseTheLatest measures it among 10,000 documents that look alike.
func BenchmarkChooseTheLatest(b *testing.B) {
	x, permitted := lookAlikes(10_000)
	for name, permitted := range map[string][]assistants.DocumentID{"all": nil, "filtered": permitted} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				x.choose(askingForTheLatest, permitted)
			}
		})
	}
}
