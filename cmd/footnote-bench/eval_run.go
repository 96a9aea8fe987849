package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"footnote/assistants/evaluation"
)

// ingest makes the assistants: one for each document, one with all of them, the
// demo's, and waits until all that can be found is found. It returns what they
// have in all.
func (e *evalBench) ingest(ctx context.Context) (all shelf, err error) {
	assistants := map[string][]string{}
	for _, d := range e.listed {
		path, err := e.path(d)
		if err != nil {
			return all, err
		}
		assistants["d-"+slug(d.Name)] = []string{path}
		assistants["all"] = append(assistants["all"], path)
	}
	demo, err := filepath.Abs(e.demo)
	if err != nil {
		return all, err
	}
	assistants["demo"] = []string{demo}
	names := make([]string, 0, len(assistants))
	for name := range assistants {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintln(e.progress, "reading for", name)
		if err := e.server.ingest(ctx, name, assistants[name]...); err != nil {
			return all, err
		}
	}
	for _, name := range names {
		fmt.Fprintln(e.progress, "waiting for the vectors of", name)
		s, err := e.server.settled(ctx, name)
		if err != nil {
			return all, err
		}
		all.full, all.all = all.full+s.full, all.all+s.all
	}
	return all, nil
}

// path finds a document of the list, with or without the extension.
func (e *evalBench) path(d goldDocument) (string, error) {
	for _, name := range []string{d.Name, d.Name + ".pdf"} {
		path, err := filepath.Abs(filepath.Join(e.evalOptions.documents, name))
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not in %s; fetch the documents with %s", d.Name, e.evalOptions.documents, filepath.Join(e.gold, "fetch.sh"))
}

// A played scene is its runs: the baselines, each mode, and the one that asked
// for answers, too.
type played struct {
	scene
	runs   []evaluation.Run
	chat   evaluation.Run
	second evaluation.Run // the same with the multilingual model; no outcomes when it was not asked
}

// judge plays a scene.
func (e *evalBench) judge(ctx context.Context, r *evalReport, s scene) error {
	fmt.Fprintln(e.progress, "asking:", s)
	p := played{scene: s}
	for i, mode := range evalModes {
		args := []string{"--retrieval-only", "--set", "search_mode=" + mode}
		if i == 0 {
			args = append(args, "--baselines")
		}
		if mode == "Vector" && !r.vectors() {
			continue
		}
		runs, err := e.ask(ctx, s, e.sets[s.set], args...)
		if err != nil {
			return err
		}
		runs[0].Name = modeNames[mode]
		if i == 0 {
			p.runs = append(p.runs, runs[1:]...)
		}
		p.runs = append(p.runs, runs[0])
	}
	runs, err := e.ask(ctx, s, e.sets[s.set])
	if err != nil {
		return err
	}
	p.chat = runs[0]
	r.scenes = append(r.scenes, p)
	return nil
}

// modeNames are the modes as the tables call them.
var modeNames = map[string]string{"FullText": "full text", "Vector": "vectors", "Hybrid": "hybrid"}

// ask puts questions to the assistants that a scene is about and joins what
// comes of it: the run, then the baselines.
func (e *evalBench) ask(ctx context.Context, s scene, questions []evaluation.Question, args ...string) ([]evaluation.Run, error) {
	byAssistant := map[string][]evaluation.Question{}
	var order []string
	for _, q := range questions {
		name := s.assistantOf(q.Document)
		if byAssistant[name] == nil {
			order = append(order, name)
		}
		byAssistant[name] = append(byAssistant[name], q)
	}
	var joined []evaluation.Run
	for _, name := range order {
		got, err := e.server.evaluated(ctx, name, byAssistant[name], args...)
		if err != nil {
			return nil, err
		}
		for i, run := range append([]evaluation.Run{got.Run}, got.Baselines...) {
			if i == len(joined) {
				joined = append(joined, evaluation.Run{Name: run.Name, Created: run.Created, Settings: run.Settings})
			}
			joined[i].Outcomes = append(joined[i].Outcomes, run.Outcomes...)
		}
	}
	if len(joined) == 0 {
		return nil, errors.New("there is no question to ask")
	}
	return joined, nil
}

// followUps asks the conversations as they are, and their last questions
// written out, of a document per assistant and of all in one.
func (e *evalBench) followUps(ctx context.Context, r *evalReport) error {
	written := slices.Clone(e.sets[setConversations])
	last := slices.Clone(written)
	for i, q := range written {
		written[i].Turns, written[i].Question = nil, q.WrittenOut
		last[i].Turns, last[i].Question = nil, q.Turns[len(q.Turns)-1].Content
	}
	for _, alone := range []bool{true, false} {
		s := scene{set: setConversations, alone: alone}
		fmt.Fprintln(e.progress, "asking:", s)
		p := played{scene: s}
		for _, how := range []struct {
			name      string
			questions []evaluation.Question
		}{{"written out", written}, {"last turn alone", last}, {"conversation", e.sets[setConversations]}} {
			runs, err := e.ask(ctx, s, how.questions, "--retrieval-only")
			if err != nil {
				return err
			}
			runs[0].Name = how.name
			p.runs = append(p.runs, runs[0])
		}
		r.followUps = append(r.followUps, p)
	}
	return nil
}

// keep writes every run to a file of its own.
func (e *evalBench) keep(r *evalReport) error {
	if e.runs == "" {
		return nil
	}
	if err := os.MkdirAll(e.runs, 0o755); err != nil { //nolint:gosec // to be read by everybody
		return err
	}
	for _, p := range append(slices.Clone(r.scenes), r.followUps...) {
		runs := slices.Clone(p.runs)
		for name, chat := range map[string]evaluation.Run{"answers": p.chat, "answers" + bothModels: p.second} {
			if chat.Outcomes != nil {
				chat.Name = name
				runs = append(runs, chat)
			}
		}
		for _, run := range runs {
			raw, err := json.MarshalIndent(run, "", " ")
			if err != nil {
				return err
			}
			name := strings.NewReplacer(" ", "-", ",", "").Replace(p.String()+"--"+run.Name) + ".json"
			if err := os.WriteFile(filepath.Join(e.runs, name), raw, 0o644); err != nil { //nolint:gosec // likewise
				return err
			}
		}
	}
	return nil
}

// evaluated runs `footnote eval` on questions, which it writes to a file.
func (s *server) evaluated(ctx context.Context, assistant string, questions []evaluation.Question, args ...string) (judgement, error) {
	var b bytes.Buffer
	for _, q := range questions {
		line, err := json.Marshal(q)
		if err != nil {
			return judgement{}, err
		}
		b.Write(append(line, '\n'))
	}
	file := filepath.Join(s.dir, "questions.jsonl")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		return judgement{}, err
	}
	raw, err := s.asked(ctx, "eval", assistant, append(append([]string{"--json", "--parallel", "2"}, args...), file)...)
	if err != nil {
		return judgement{}, err
	}
	var got judgement
	return got, json.Unmarshal(raw, &got)
}

// A judgement is what `footnote eval --json` prints.
type judgement struct {
	evaluation.Run
	Baselines []evaluation.Run `json:"baselines"`
}
