package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"footnote/assistants/evaluation"
)

// An evalReport is what `make eval` prints.
type evalReport struct {
	bench     *evalBench
	shelf     shelf // of all assistants
	ingested  time.Duration
	scenes    []played
	followUps []played
}

// vectors reports whether documents are found by meaning, too.
func (r *evalReport) vectors() bool { return r.shelf.full > 0 }

// bothModels is added to the names of runs that had the multilingual model, too.
const bothModels = ", multilingual"

// beside adds what was found with the multilingual model to the same scenes.
func (r *evalReport) beside(both *evalReport) {
	add := func(to *played, from played, names ...string) {
		for _, name := range names {
			if run := runNamed(from.runs, name); run != nil {
				run.Name += bothModels
				to.runs = append(to.runs, *run)
			}
		}
	}
	for i, p := range both.scenes {
		add(&r.scenes[i], p, modeNames["Vector"], modeNames["Hybrid"])
		r.scenes[i].second = p.chat
		r.scenes[i].second.Name += bothModels
	}
	for i, p := range both.followUps {
		add(&r.followUps[i], p, "written out", "conversation")
	}
}

// String is the report as Markdown.
func (r *evalReport) String() string {
	var b strings.Builder
	b.WriteString("# How well the right page is found and cited\n\n`make eval` writes this file: the gold sets of this folder, put to the real program over HTTP. ")
	b.WriteString("A hit is a source that touches a page that answers, in the order in which sources are given to the model. Shares are percent. ")
	b.WriteString("Answers are those of `builtin:extractive`.\n\n")
	r.writeDocuments(&b)
	for _, p := range r.scenes {
		r.writeScene(&b, p)
	}
	b.WriteString("## Follow-up questions\n\n")
	for _, p := range r.followUps {
		fmt.Fprintf(&b, "%s:\n\n", p)
		writeTable(&b, p.runs)
		writeComparisons(&b, p.runs, [][2]string{{"written out", "conversation"}, {"last turn alone", "conversation"}, {"written out" + bothModels, "conversation" + bothModels}})
	}
	r.writeMisses(&b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (r *evalReport) writeDocuments(b *strings.Builder) {
	pages := 0
	b.WriteString("| document | package | pages | language |\n|---|---|--:|---|\n")
	for _, d := range r.bench.listed {
		fmt.Fprintf(b, "| %s | %s %s | %d | %s |\n", d.Name, d.Package, d.Version, d.Pages, d.Language)
		pages += d.Pages
	}
	fmt.Fprintf(b, "\n%d pages in %d documents; read twice, and once the demo's, in %.0f s. ", pages, len(r.bench.listed), r.ingested.Seconds())
	if r.vectors() {
		fmt.Fprintf(b, "%d of %d documents were found by meaning, too.\n\n", r.shelf.full, r.shelf.all)
	} else {
		b.WriteString("There were no weights of the embedder, so nothing was found by meaning.\n\n")
	}
}

func (r *evalReport) writeScene(b *strings.Builder, p played) {
	fmt.Fprintf(b, "## %s\n\n", p)
	writeTable(b, p.runs)
	writeComparisons(b, p.runs, [][2]string{
		{"plain BM25", "full text"}, {"full text", "hybrid"}, {"vectors", "hybrid"},
		{"full text", "hybrid" + bothModels}, {"vectors" + bothModels, "hybrid" + bothModels}, {"hybrid", "hybrid" + bothModels},
	})
	writeLanguages(b, p.runs)
	for _, chat := range []evaluation.Run{p.chat, p.second} {
		if chat.Outcomes == nil {
			continue
		}
		s := evaluation.Summarise(chat.Outcomes)
		if strings.HasSuffix(chat.Name, bothModels) {
			b.WriteString("With the multilingual model:\n\n")
		}
		b.WriteString("```\n")
		evaluation.WriteLatency(b, s)
		if s.Chat != nil {
			_ = evaluation.WriteChat(b, s.Chat) // a strings.Builder takes everything
		}
		b.WriteString("```\n\n")
	}
}

func writeTable(b *strings.Builder, runs []evaluation.Run) {
	b.WriteString("| | questions | document @1 | @5 | page @1 | @5 | @10 | MRR | passage @1 | @5 | @10 | MRR |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, run := range runs {
		s := evaluation.Summarise(run.Outcomes)
		fmt.Fprintf(b, "| %s | %d | %.1f | %.1f | %.1f | **%.1f** | %.1f | %.3f | %.1f | %.1f | %.1f | %.3f |\n", run.Name, s.Questions,
			100*s.Document.Hit1, 100*s.Document.Hit5, 100*s.Page.Hit1, 100*s.Page.Hit5, 100*s.Page.Hit10, s.Page.MRR,
			100*s.Passage.Hit1, 100*s.Passage.Hit5, 100*s.Passage.Hit10, s.Passage.MRR)
	}
	b.WriteString("\n")
}

func writeComparisons(b *strings.Builder, runs []evaluation.Run, pairs [][2]string) {
	for _, pair := range pairs {
		first, second := runNamed(runs, pair[0]), runNamed(runs, pair[1])
		if first == nil || second == nil {
			continue
		}
		b.WriteString("* ")
		evaluation.WriteComparison(b, pair[0], pair[1], evaluation.Compare(first.Outcomes, second.Outcomes))
	}
	b.WriteString("\n")
}

func runNamed(runs []evaluation.Run, name string) *evaluation.Run {
	i := slices.IndexFunc(runs, func(r evaluation.Run) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &runs[i]
}

// writeLanguages tells the page hits of each language, by run.
func writeLanguages(b *strings.Builder, runs []evaluation.Run) {
	var languages []string
	for _, o := range runs[0].Outcomes {
		if l := languageOf(o); !slices.Contains(languages, l) {
			languages = append(languages, l)
		}
	}
	if len(languages) < 2 {
		return
	}
	slices.Sort(languages)
	b.WriteString("Page hit@5 by language: ")
	for i, l := range languages {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(l)
		for _, run := range runs {
			of := slices.DeleteFunc(slices.Clone(run.Outcomes), func(o evaluation.Outcome) bool { return languageOf(o) != l })
			s := evaluation.Summarise(of)
			fmt.Fprintf(b, ", %s %.0f", run.Name, 100*s.Page.Hit5)
			if run.Name == runs[len(runs)-1].Name {
				fmt.Fprintf(b, " of %d", s.Questions)
			}
		}
	}
	b.WriteString(".\n\n")
}

func languageOf(o evaluation.Outcome) string {
	if o.Cross {
		return o.Language + " (asked in another)"
	}
	return o.Language
}

// writeMisses lists the questions whose page is not among the first five; those
// that are held out are counted only, so that nobody tunes on them.
func (r *evalReport) writeMisses(b *strings.Builder) {
	for _, p := range r.scenes {
		run := runNamed(p.runs, modeNames["Hybrid"]+bothModels)
		if run == nil {
			run = runNamed(p.runs, modeNames["Hybrid"])
		}
		if p.set == setHeldOut || run == nil {
			continue
		}
		fmt.Fprintf(b, "## Missed by %s: %s\n\n", run.Name, p)
		for _, o := range run.Outcomes {
			if o.PageRank == nil || *o.PageRank > 0 && *o.PageRank <= 5 {
				continue
			}
			fmt.Fprintf(b, "* `%s` %s (rank %d; found %s)\n", o.ID, o.Question, *o.PageRank, strings.Join(o.Found, "; "))
		}
		b.WriteString("\n")
	}
}
