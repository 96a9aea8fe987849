package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"footnote/assistants/evaluation"
)

// ingest makes the assistants: one for each document, one with all of them and the
// demo's. It waits until everything can be found, and counts their documents.
func (e *evalBench) ingest(ctx context.Context) (all documentCounts, err error) {
	files := map[string][]string{}
	for _, d := range e.goldDocuments {
		path, err := e.path(d)
		if err != nil {
			return all, err
		}
		files["d-"+slug(d.Name)] = []string{path}
		files["all"] = append(files["all"], path)
	}
	if len(e.sets[setDemo]) > 0 {
		demo, err := filepath.Abs(e.demo)
		if err != nil {
			return all, err
		}
		files["demo"] = []string{demo}
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		fmt.Fprintln(os.Stderr, "reading for", name)
		if err := e.server.ingest(ctx, name, files[name]...); err != nil {
			return all, err
		}
	}
	for _, name := range names {
		fmt.Fprintln(os.Stderr, "waiting for the vectors of", name)
		n, err := e.server.waitForDocuments(ctx, name)
		if err != nil {
			return all, err
		}
		all.full, all.all = all.full+n.full, all.all+n.all
	}
	return all, nil
}

// path finds a document of the list, with or without the extension.
func (e *evalBench) path(d goldDocument) (string, error) {
	for _, name := range []string{d.Name, d.Name + ".pdf"} {
		path, err := filepath.Abs(filepath.Join(e.documents, name))
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not in %s; fetch the documents with %s", d.Name, e.documents, filepath.Join(e.gold, "fetch.sh"))
}

// sceneRuns are the runs of a scene: the baselines, each mode, and one that asked for answers, too.
type sceneRuns struct {
	scene
	runs             []evaluation.Run
	chat             evaluation.Run
	multilingualChat evaluation.Run // chat with the multilingual model; no outcomes if it was not asked
}

// askModes asks the questions of a scene in every mode, and for answers.
func (e *evalBench) askModes(ctx context.Context, r *evalReport, s scene) error {
	fmt.Fprintln(os.Stderr, "asking:", s)
	result, questions := sceneRuns{scene: s}, e.sets[s.set]
	for i, mode := range evalModes {
		if mode[0] == "Vector" && !r.vectors() {
			continue
		}
		runs, err := e.ask(ctx, s, questions, evalRequest{name: mode[1], mode: mode[0], baselines: i == 0})
		if err != nil {
			return err
		}
		result.runs = append(result.runs, runs...)
	}
	runs, err := e.ask(ctx, s, questions, evalRequest{chat: true})
	if err != nil {
		return err
	}
	result.chat = runs[0]
	r.scenes = append(r.scenes, result)
	return nil
}

// An evalRequest says how questions are asked.
type evalRequest struct {
	name      string // of the run
	mode      string // "": the assistant's
	chat      bool
	baselines bool
}

// ask puts questions to the assistants of a scene. It joins the runs of all
// assistants: the baselines if they are asked for, then the run itself.
func (e *evalBench) ask(ctx context.Context, s scene, questions []evaluation.Question, how evalRequest) ([]evaluation.Run, error) {
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
		a := &evaluation.Assistant{Send: e.server.send, Name: name, TopK: 10}
		if how.mode != "" {
			a.Settings = map[string]any{"search_mode": how.mode}
		}
		run := evaluation.Run{Name: how.name, Created: time.Now().UTC(), Settings: a.Settings}
		var err error
		run.Outcomes, err = evaluation.Evaluate(ctx, a, byAssistant[name], evaluation.Options{Chat: how.chat, Parallel: 2})
		var runs []evaluation.Run
		if err = errors.Join(err, evaluation.Failed(run.Outcomes)); err == nil && how.baselines {
			runs, err = a.Baselines(ctx, byAssistant[name])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i, run := range append(runs, run) {
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

// askFollowUps asks the conversations as they are, their last turns alone, and
// their last turns written out.
func (e *evalBench) askFollowUps(ctx context.Context, r *evalReport) error {
	written := slices.Clone(e.sets[setConversations])
	last := slices.Clone(written)
	for i, q := range written {
		written[i].Turns, written[i].Question = nil, q.WrittenOut
		last[i].Turns, last[i].Question = nil, q.Turns[len(q.Turns)-1].Content
	}
	for _, perDocument := range []bool{true, false} {
		result := sceneRuns{scene: scene{set: setConversations, perDocument: perDocument}}
		fmt.Fprintln(os.Stderr, "asking:", result)
		for _, how := range []struct {
			name      string
			questions []evaluation.Question
		}{{"written out", written}, {"last turn alone", last}, {"conversation", e.sets[setConversations]}} {
			runs, err := e.ask(ctx, result.scene, how.questions, evalRequest{name: how.name})
			if err != nil {
				return err
			}
			result.runs = append(result.runs, runs...)
		}
		r.followUps = append(r.followUps, result)
	}
	return nil
}

// keep writes every run to a file of its own.
func (e *evalBench) keep(r *evalReport) error {
	if e.runs == "" {
		return nil
	}
	if err := os.MkdirAll(e.runs, 0o755); err != nil { //nolint:gosec // everybody may read them
		return err
	}
	for _, s := range append(slices.Clone(r.scenes), r.followUps...) {
		s.chat.Name, s.multilingualChat.Name = "answers", "answers"+bothModels
		for _, run := range append(slices.Clone(s.runs), s.chat, s.multilingualChat) {
			if run.Outcomes == nil {
				continue
			}
			raw, err := json.MarshalIndent(run, "", " ")
			if err != nil {
				return err
			}
			name := strings.NewReplacer(" ", "-", ",", "").Replace(s.String()+"--"+run.Name) + ".json"
			if err := os.WriteFile(filepath.Join(e.runs, name), raw, 0o644); err != nil { //nolint:gosec // likewise
				return err
			}
		}
	}
	return nil
}
