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
	x := newNameIndex(list, 1, time.Time{})
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
	x := newNameIndex(list, 1, time.Time{})
	const question = "What do I have to do before the pump of model 1204 is started for the first time, and what does the display show when the sensor is missing?"
	b.ReportAllocs()
	for b.Loop() {
		if c := x.choose(question, nil); len(c.best) != 1 {
			b.Fatal(c.best)
		}
	}
}
