package lexical

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestQuestionsKeepOnlyTheirSubject(t *testing.T) {
	for question, want := range map[string][]string{
		"How many vacation days do I get per year?":      {"vacat", "day", "year"},
		"When do I get my salary?":                       {"salari"},
		"What's the max hotel rate?":                     {"max", "hotel", "rate"},
		"Could you please tell me about the dress code?": {"dress", "code"},
		"Am I allowed to bring my dog to the office?":    {"bring", "dog", "offic"},
		"Wie viele Tage Urlaub bekomme ich?":             {"tag", "urlaub"},
		"Was ist die Probezeit?":                         {"probezeit"},
		"War and peace":                                  {"war", "peac"},
		"员工每年有多少天年假？":                                    {"员工", "工每", "每年", "年有", "天年", "年假"},
		"有給休暇は何日取得できますか？":                                {"有給", "給休", "休暇", "取得"},
		"すし":                               {"すし"},
		"What is allowed?":                 {"allow"},
		"What is it?":                      nil,
		"???":                              nil,
		"":                                 nil,
		"travel TRAVEL Travelling travels": {"travel"},
		"Is it 1,000 or 1000 euros?":       {"1000", "euro"},
		"How long is the notice period during probation time?": {"notic", "period", "probat", "time"},
	} {
		if got := QueryTerms(question); !slices.Equal(got, want) {
			t.Errorf("%q asks for %q, want %q", question, got, want)
		}
	}
}

func TestLongQuestionsAreSearchedByTheirEnds(t *testing.T) {
	var words []string
	for i := range 1000 {
		words = append(words, fmt.Sprintf("w%dx", i))
	}
	got := QueryTerms(strings.Join(words, " "))
	if len(got) != MaxQueryTerms || got[0] != "w0x" || got[MaxQueryTerms-1] != "w999x" {
		t.Errorf("%d terms: %q", len(got), got)
	}
}

func TestAskingPhrasesAreNotCutOutOfWords(t *testing.T) {
	for question, want := range map[string]string{
		"怎么请假": "请假", "会议室在哪里": "会议", "可以报销个人费用吗": "个人", "有給休暇": "有給", "我的能力": "能力",
	} {
		if got := QueryTerms(question); !slices.Contains(got, want) {
			t.Errorf("%q asks for %q, without %q", question, got, want)
		}
	}
}

func TestConcurrentUseGivesTheSameTerms(t *testing.T) {
	doc := strings.Repeat("Employees submit their travel expenses; Kündigungen gelten sofort. 有給休暇 ", 20)
	want, query := Terms(doc), QueryTerms(doc)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if !slices.Equal(Terms(doc), want) || !slices.Equal(QueryTerms(doc), query) {
					t.Error("other terms beside other goroutines")
				}
			}
		})
	}
	wg.Wait()
}

func TestTheMemoOfStemsIsBounded(t *testing.T) {
	m := stemCache{}
	for i := range 3 * maxStems {
		m.stem(fmt.Sprintf("w%d", i), languageEnglish)
	}
	if len(m) > maxStems {
		t.Errorf("%d words remembered", len(m))
	}
}

func BenchmarkTerms(b *testing.B) {
	for name, doc := range map[string]string{
		"english": "Employees who travel for business submit their expense reports within thirty days; receipts above 25 euros are required by the finance department. ",
		"german":  "Beschäftigte, die dienstlich reisen, reichen ihre Abrechnungen innerhalb von dreißig Tagen ein; Belege über 25 Euro verlangt die Buchhaltung. ",
		"chinese": "因公出差的员工应在三十天内提交费用报告；财务部门要求提供超过二十五欧元的收据。",
	} {
		text := strings.Repeat(doc, 100)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				EachTerm(text, func(Term) {})
			}
		})
	}
}

func BenchmarkSentences(b *testing.B) {
	text := strings.Repeat("Dr. Smith submits his expense reports within 30 days, e.g. by mail. Receipts are kept!\nNo. 4 wraps\nhere. ", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Sentences(text)
	}
}
