package main

import (
	"fmt"
	"strings"
	"time"

	"footnote/assistants/evaluation"
)

// An evalReport is what `make eval` prints.
type evalReport struct {
	listed    []goldDocument
	documents documentCounts // of all assistants
	ingested  time.Duration
	scenes    []sceneRuns
	followUps []sceneRuns
}

// vectors reports whether documents are found by meaning, too.
func (r *evalReport) vectors() bool { return r.documents.full > 0 }

// bothModels is added to the names of runs that had the multilingual model, too.
const bothModels = ", multilingual"

// add adds the runs with the multilingual model to the same scenes.
func (r *evalReport) add(both *evalReport) {
	addRuns := func(to *sceneRuns, from sceneRuns, names ...string) {
		for _, name := range names {
			if run := evaluation.RunNamed(from.runs, name); run != nil {
				run.Name += bothModels
				to.runs = append(to.runs, *run)
			}
		}
	}
	for i, s := range both.scenes {
		addRuns(&r.scenes[i], s, "vectors", "hybrid")
		r.scenes[i].multilingualChat = s.chat
	}
	for i, s := range both.followUps {
		addRuns(&r.followUps[i], s, "written out", "conversation")
	}
}

// String is the report as Markdown.
func (r *evalReport) String() string {
	var b strings.Builder
	b.WriteString("# How well the right page is found and cited\n\n`make eval` writes this file: the gold sets of this folder, put to the real program over HTTP. ")
	b.WriteString("A hit is a source that touches a page that answers, in the order in which sources are given to the model. Shares are percent. ")
	b.WriteString("Answers are those of `builtin:extractive`.\n\n")
	r.writeDocuments(&b)
	for _, s := range r.scenes {
		writeScene(&b, s)
	}
	if len(r.followUps) > 0 {
		b.WriteString("## Follow-up questions\n\n")
	}
	for _, s := range r.followUps {
		fmt.Fprintf(&b, "%s:\n\n", s)
		evaluation.MarkdownRanks(&b, s.runs)
		evaluation.MarkdownComparisons(&b, s.runs, [][2]string{{"written out", "conversation"}, {"last turn alone", "conversation"}, {"written out" + bothModels, "conversation" + bothModels}})
	}
	r.writeMisses(&b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (r *evalReport) writeDocuments(b *strings.Builder) {
	pages := 0
	b.WriteString("| document | package | pages | language |\n|---|---|--:|---|\n")
	for _, d := range r.listed {
		fmt.Fprintf(b, "| %s | %s %s | %d | %s |\n", d.Name, d.Package, d.Version, d.Pages, d.Language)
		pages += d.Pages
	}
	fmt.Fprintf(b, "\n%d pages in %d documents; read twice, and once the demo's, in %.0f s. ", pages, len(r.listed), r.ingested.Seconds())
	if r.vectors() {
		fmt.Fprintf(b, "%d of %d documents were found by meaning, too.\n\n", r.documents.full, r.documents.all)
	} else {
		b.WriteString("There were no weights of the embedder, so nothing was found by meaning.\n\n")
	}
}

func writeScene(b *strings.Builder, s sceneRuns) {
	fmt.Fprintf(b, "## %s\n\n", s)
	evaluation.MarkdownRanks(b, s.runs)
	evaluation.MarkdownComparisons(b, s.runs, [][2]string{
		{"plain BM25", "full text"}, {"full text", "hybrid"}, {"vectors", "hybrid"},
		{"full text", "hybrid" + bothModels}, {"vectors" + bothModels, "hybrid" + bothModels}, {"hybrid", "hybrid" + bothModels},
	})
	evaluation.MarkdownLanguages(b, s.runs)
	for i, chat := range []evaluation.Run{s.chat, s.multilingualChat} {
		if chat.Outcomes == nil {
			continue
		}
		if i > 0 {
			b.WriteString("With the multilingual model:\n\n")
		}
		summary := evaluation.Summarise(chat.Outcomes)
		b.WriteString("```\n")
		evaluation.WriteLatency(b, summary)
		if summary.Chat != nil {
			_ = evaluation.WriteChat(b, summary.Chat) // writing to a strings.Builder cannot fail
		}
		b.WriteString("```\n\n")
	}
}

// writeMisses lists the questions whose page is not among the first five. Those
// of the held-out set are not listed, because rules must not be tuned on them.
func (r *evalReport) writeMisses(b *strings.Builder) {
	for _, s := range r.scenes {
		run := evaluation.RunNamed(s.runs, "hybrid"+bothModels)
		if run == nil {
			run = evaluation.RunNamed(s.runs, "hybrid")
		}
		if s.set == setHeldOut || run == nil {
			continue
		}
		fmt.Fprintf(b, "## Missed by %s: %s\n\n", run.Name, s)
		for _, o := range run.Outcomes {
			if o.PageRank == nil || *o.PageRank > 0 && *o.PageRank <= 5 {
				continue
			}
			fmt.Fprintf(b, "* `%s` %s (rank %d; found %s)\n", o.ID, o.Question, *o.PageRank, strings.Join(o.Found, "; "))
		}
		b.WriteString("\n")
	}
}
