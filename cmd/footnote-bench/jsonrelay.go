package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"
)

// runJSONRelay is the role of a relay that decodes what it relays, as gateways in Go
// commonly do: the request into maps, the answer or each chunk of it into structures, and
// back. It knows only what the scripted upstream sends.
func runJSONRelay(upstream string) error {
	relay := &jsonRelay{
		url:       "http://" + upstream,
		transport: &http.Transport{MaxIdleConns: 4096, MaxIdleConnsPerHost: 4096, IdleConnTimeout: 90 * time.Second, DisableCompression: true},
	}
	return serveChild(&http.Server{
		Handler: relay, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 120 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(slog.NewTextHandler(os.Stderr, nil), slog.LevelWarn),
	}, "")
}

type jsonRelay struct {
	url       string
	transport *http.Transport
}

// A relayed is an answer, in the order of its members.
type relayed struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Model   string `json:"model"`
	Choices []struct {
		Index   int `json:"index"`
		Message struct {
			Role        string   `json:"role"`
			Content     string   `json:"content"`
			Refusal     *string  `json:"refusal"`
			Annotations []string `json:"annotations"`
		} `json:"message"`
		Logprobs *struct{} `json:"logprobs"`
		Finish   *string   `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt        int `json:"prompt_tokens"`
		Completion    int `json:"completion_tokens"`
		Total         int `json:"total_tokens"`
		PromptDetails struct {
			Cached int `json:"cached_tokens"`
			Audio  int `json:"audio_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails struct {
			Reasoning int `json:"reasoning_tokens"`
			Audio     int `json:"audio_tokens"`
			Accepted  int `json:"accepted_prediction_tokens"`
			Rejected  int `json:"rejected_prediction_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
	Tier        string `json:"service_tier"`
	Fingerprint string `json:"system_fingerprint"`
}

// A relayedChunk is a chunk of a stream, in the order of its members.
type relayedChunk struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	Model       string `json:"model"`
	Fingerprint string `json:"system_fingerprint"`
	Choices     []struct {
		Index int `json:"index"`
		Delta struct {
			Role    string          `json:"role,omitempty"`
			Content *string         `json:"content,omitempty"`
			Refusal json.RawMessage `json:"refusal,omitempty"`
		} `json:"delta"`
		Logprobs *struct{} `json:"logprobs"`
		Finish   *string   `json:"finish_reason"`
	} `json:"choices"`
	Obfuscation string `json:"obfuscation"`
}

// ServeHTTP relays a request.
func (j *jsonRelay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := j.relay(w, r); err != nil {
		slog.Warn("a request failed", "error", err)
		panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
	}
}

func (j *jsonRelay) relay(w http.ResponseWriter, r *http.Request) error {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return err
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, j.url+r.URL.Path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := j.transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was read to its end, or the request failed
	w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
	if stream, _ := body["stream"].(bool); stream {
		return relayChunks(w, resp.Body)
	}
	var answer relayed
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	if raw, err = json.Marshal(answer); err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}

// relayChunks relays each event as soon as it is there.
func relayChunks(w http.ResponseWriter, stream io.Reader) error {
	lines, flush := bufio.NewScanner(stream), http.NewResponseController(w)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue // the blank line between two events
		}
		if string(data) != "[DONE]" {
			var chunk relayedChunk
			err := json.Unmarshal(data, &chunk)
			if err == nil {
				data, err = json.Marshal(chunk)
			}
			if err != nil {
				return err
			}
		}
		if _, err := w.Write(appendEvent(nil, data)); err != nil {
			return err
		}
		if err := flush.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}
