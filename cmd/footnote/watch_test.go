package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v3"

	"footnote/proxy/upstream/upstreamtest"
)

// watched are the expressions of the dashboard and of the alert rules by their titles.
func watched(t *testing.T) map[string]string {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			ID      int
			Type    string
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	raw, err := os.ReadFile("watch/grafana/footnote.json")
	if err == nil {
		err = json.Unmarshal(raw, &dashboard)
	}
	if err != nil {
		t.Fatal(err)
	}
	exprs, ids := map[string]string{}, map[int]bool{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] || p.GridPos.X+p.GridPos.W > 24 || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %q has no place, no query or the id of another", p.Title)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			exprs[p.Title] += target.Expr + "\n"
		}
	}
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      struct{ Severity string }
				Annotations struct{ Summary, Description string }
			}
		}
	}
	if raw, err = os.ReadFile("watch/prometheus/alerts.yaml"); err == nil {
		err = yaml.Unmarshal(raw, &alerts)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range alerts.Groups[0].Rules {
		if r.Alert == "" || r.Labels.Severity == "" || r.Annotations.Summary == "" || r.Annotations.Description == "" || exprs[r.Alert] != "" {
			t.Errorf("the rule %+v is not complete", r)
		}
		exprs[r.Alert] = r.Expr
	}
	return exprs
}

// A series is one line of /metrics: the labels and their values.
type series map[string]string

var (
	metricLine = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`)
	labelPair  = regexp.MustCompile(`([a-z_]+)(=~|!~|!=|=)"([^"]*)"`)
	selector   = regexp.MustCompile(`\b((?:footnote|go|process)_[a-z0-9_]+)(?:\{([^}]*)\})?`)
	grouping   = regexp.MustCompile(`\bby \(([^)]*)\)`)
)

// metrics are the series of a server by name.
func (p *process) metrics() map[string][]series {
	p.t.Helper()
	all := map[string][]series{}
	for _, m := range metricLine.FindAllStringSubmatch(p.fetch("/metrics"), -1) {
		labels := series{}
		for _, pair := range labelPair.FindAllStringSubmatch(m[2], -1) {
			labels[pair[1]] = pair[3]
		}
		all[m[1]] = append(all[m[1]], labels)
	}
	return all
}

// ofPrometheus are labels that Prometheus adds.
var ofPrometheus = []string{"instance", "job"}

// matches reports whether a series has what a selector wants.
func (s series) matches(matchers string) bool {
	for _, m := range labelPair.FindAllStringSubmatch(matchers, -1) {
		value, there := s[m[1]]
		switch like := regexp.MustCompile("^(?:" + m[3] + ")$").MatchString(value); {
		case slices.Contains(ofPrometheus, m[1]):
		case !there, m[2] == "=" && value != m[3], m[2] == "!=" && value == m[3], m[2] == "=~" && !like, m[2] == "!~" && like:
			return false
		}
	}
	return true
}

// Every metric, label and value that the dashboard and the alert rules name is one that
// the program shows, once each kind of thing has happened.
func TestTheDashboardAndTheAlertsNameWhatTheProgramShows(t *testing.T) {
	t.Parallel()
	p := eventful(t)
	shown := p.metrics()
	var status struct {
		Upstreams []struct {
			ID, State, Cause string
			Failures         int
		}
	}
	if p.must(200, "GET", "/v1.0/status", nil, &status); len(status.Upstreams) != 1 || status.Upstreams[0].ID != "default" || status.Upstreams[0].State != "closed" || status.Upstreams[0].Failures != 2 || status.Upstreams[0].Cause != "503" {
		t.Errorf("the status says %+v", status)
	}
	for title, expr := range watched(t) {
		labels := slices.Clone(ofPrometheus)
		for _, m := range selector.FindAllStringSubmatch(expr, -1) {
			if !slices.ContainsFunc(shown[m[1]], func(s series) bool { return s.matches(m[2]) }) {
				t.Errorf("%s: nothing is shown for %s", title, m[0])
			}
			for _, s := range shown[m[1]] {
				for label := range s {
					labels = append(labels, label)
				}
			}
		}
		for _, m := range grouping.FindAllStringSubmatch(expr, -1) {
			for label := range strings.SplitSeq(m[1], ",") {
				if !slices.Contains(labels, strings.TrimSpace(label)) {
					t.Errorf("%s: no metric of it has the label %s", title, label)
				}
			}
		}
		if strings.Count(expr, "(") != strings.Count(expr, ")") || strings.Count(expr, "{") != strings.Count(expr, "}") || strings.Count(expr, "[") != strings.Count(expr, "]") {
			t.Errorf("%s: brackets do not match in %s", title, expr)
		}
	}
}

// eventful starts a server and makes each metric and label appear there: it uploads, asks,
// is refused, and falls back.
func eventful(t *testing.T) *process {
	t.Helper()
	const answer = `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"The badge costs 25 euros [1]."},"finish_reason":"stop"}]}`
	far := modelServer(t, upstreamtest.JSON(answer))
	p := start(t, t.TempDir(), nil, "FOOTNOTE_UPSTREAM_URL="+far.URL(), "FOOTNOTE_UPSTREAM_MODEL=m")
	settings := map[string]any{"enable_rag": true, "enable_citations": true, "upstream_fallbacks": []any{map[string]string{"upstream": "builtin:extractive"}}}
	var alone, both struct{ ID string }
	p.must(201, "POST", "/v1.0/assistants", map[string]any{"name": "Both", "slug": "both", "settings": settings}, &both)
	p.must(201, "POST", "/v1.0/assistants", map[string]any{"name": "Alone", "slug": "alone"}, &alone)
	uploadFile(t, p, "both", "badge.txt", "A lost badge costs 25 euros. Report the loss to the front desk within a day.")
	p.documents("both")
	chat := func(model string, stream bool) map[string]any {
		return map[string]any{"model": model, "stream": stream, "messages": []any{map[string]string{"role": "user", "content": "What does a lost badge cost?"}}}
	}
	p.must(200, "POST", "/v1/chat/completions", chat("both", false), nil)
	p.raw("/v1/chat/completions", `{"model":"both","stream":true,"messages":[{"role":"user","content":"What does a lost badge cost?"}]}`)
	p.must(200, "POST", "/v1/search", map[string]any{"query": "lost badge", "assistant": "both"}, nil)
	far.Play(upstreamtest.Status(503, `{"error":{"message":"away"}}`))
	p.must(200, "POST", "/v1/chat/completions", chat("both", false), nil)
	p.must(503, "POST", "/v1/chat/completions", chat("alone", false), nil)
	p.must(200, "PATCH", "/v1.0/assistants/alone/settings", map[string]any{"requests_per_minute": 0}, nil)
	p.must(429, "POST", "/v1/chat/completions", chat("alone", false), nil)
	p.sendMalformed()
	return p
}

// must sends a request and wants a status.
func (p *process) must(status int, method, path string, in, out any) {
	p.t.Helper()
	if got := p.json(method, path, in, out); got != status {
		p.t.Fatalf("%s %s: %d, want %d", method, path, got, status)
	}
}

// sendMalformed sends bytes that are no HTTP.
func (p *process) sendMalformed() {
	p.t.Helper()
	conn, err := new(net.Dialer).DialContext(p.t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "hello\r\n\r\n"); err != nil {
		p.t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusBadRequest {
		p.t.Fatal(resp.StatusCode, err)
	}
}

// The compose file for watching fits the program's, and mounts files that are there.
func TestTheComposeFileForWatchingFindsItsFiles(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	project, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: root, ConfigFiles: []types.ConfigFile{
			{Filename: filepath.Join(root, "compose.yaml")}, {Filename: filepath.Join(root, "cmd/footnote/watch/compose.yaml")},
		},
	}, func(o *loader.Options) { o.SetProjectName("footnote", true) })
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, name := range []string{"prometheus", "grafana"} {
		for _, v := range project.Services[name].Volumes {
			if v.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil || !v.ReadOnly {
				t.Errorf("%s: %+v: %v", name, v, err)
			}
			files++
		}
	}
	if files != 4 {
		t.Errorf("%d files are mounted", files)
	}
	var scraped struct {
		RuleFiles     []string `yaml:"rule_files"`
		ScrapeConfigs []struct {
			JobName       string                       `yaml:"job_name"`
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	raw, err := os.ReadFile("watch/prometheus/prometheus.yaml")
	if err == nil {
		err = yaml.Unmarshal(raw, &scraped)
	}
	if err != nil || scraped.RuleFiles[0] != "alerts.yaml" || scraped.ScrapeConfigs[0].JobName != "footnote" {
		t.Errorf("%+v %v", scraped, err)
	}
}
