package assistants

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Field describes one setting: the one table behind the API's checks, its
// /v1.0/defaults answer, the documentation and the dashboard.
type Field struct {
	Name    string   `json:"name"`
	Default any      `json:"default"`
	Allowed []string `json:"allowed,omitempty"` // values of an enumeration
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
	// MaxLength is the longest text in code points, 0 for one without a limit.
	MaxLength int    `json:"max_length,omitempty"`
	Help      string `json:"help"`
	// NotBuilt lists what this version accepts only as far as the default: with
	// an empty list every value but the default is refused, else the named ones.
	Restricted bool     `json:"-"`
	NotBuilt   []string `json:"-"`
}

func enum[T ~string](name, help string, notBuilt []T, allowed ...T) Field {
	f := Field{Name: name, Help: help, Restricted: len(notBuilt) > 0}
	for _, a := range allowed {
		f.Allowed = append(f.Allowed, string(a))
	}
	for _, n := range notBuilt {
		f.NotBuilt = append(f.NotBuilt, string(n))
	}
	return f
}

func number(name, help string, lo, hi float64) Field {
	f := Field{Name: name, Help: help, Min: &lo}
	if hi >= lo {
		f.Max = &hi
	}
	return f
}

// short is a name: what the database keeps in a column of that length.
func short(f Field) Field {
	f.MaxLength = MaxName
	return f
}

func later(f Field) Field {
	f.Restricted = true
	return f
}

// unbounded as the upper end of a number's range means that it has none.
const unbounded = -1

// fields holds every setting in the order of CONTRACT 3. Defaults are filled
// in from DefaultSettings, so that they are written down once.
var fields = withDefaults([]Field{
	{Name: "system_prompt", Help: "Used when the client sends no system message."},
	short(Field{Name: "upstream", Help: "Id or name of a stored upstream that answers, or builtin:extractive; null: the default one."}),
	short(Field{Name: "model", Help: "Model asked at the upstream; null: the upstream's default_model."}),
	{Name: "allow_model_override", Help: "Whether a client may name another model of the upstream."},
	number("temperature", "Sent only when the client omits it.", 0, 2),
	number("top_p", "Sent only when the client omits it.", 0, 1),
	number("max_tokens", "Sent only when the client omits it.", 1, unbounded),
	number("context_window", "Tokens the model reads; null: known models' own, else 32,768.", 1024, unbounded),
	{Name: "enable_rag", Help: "Whether passages are retrieved for each question."},
	{Name: "enable_citations", Help: "Whether answers carry citations; needs enable_rag."},
	enum("citation_link_mode", "Which download_url a source carries.", []LinkMode(nil), LinkNone, LinkAuthenticated, LinkPublic),
	number("citation_link_ttl_seconds", "Life of a public link, from the answer that carries it.", 1, MaxLinkTTLSeconds),
	enum("citation_format", "Dialect in which citations are told. native: the citations object, and OpenAI's annotations when there are links; openai: only these; "+
		"perplexity: lists of URLs; azure: context.citations and [docN] markers; markdown: the object, and a list of sources behind the text; none: nothing.",
		[]CitationFormat(nil), FormatNative, FormatOpenAI, FormatPerplexity, FormatAzure, FormatMarkdown, FormatNone),
	enum("citation_numbering", "What gets a number of its own: each passage (chunk), or each document, whose passages share it.", []Numbering(nil), NumberChunks, NumberDocuments),
	{Name: "citation_renumber", Help: "Whether cited sources are numbered 1, 2, … as they first appear in the answer, in the text too. Without effect in the azure format, whose list goes out before the text."},
	enum("marker_mode", "Whether markers stay in the answer (keep) or are taken out (strip).", []MarkerMode(nil), MarkersKeep, MarkersStrip),
	enum("history_markers", "Whether markers in earlier assistant messages are forwarded.", []HistoryMarkers(nil), HistoryStrip, HistoryKeep),
	enum("orphan_policy", "What a marker without a source does. drop: it is listed in invalid_indices; disclaim: nothing counts as cited, with a warning; error: the request fails with 502 citation_mapping_error.",
		[]OrphanPolicy(nil), OrphanDrop, OrphanDisclaim, OrphanError),
	enum("no_marker_policy", "What an answer does that cites none of its sources. empty: it says so; all_sources: one source of each document is referenced, with auto_populated; fail: the request fails with 502 no_citations.",
		[]NoMarkerPolicy(nil), NoMarkerEmpty, NoMarkerAllSources, NoMarkerFail),
	enum("unknown_document_policy", "What a passage does whose document has no name. label: it is called Unknown Document; drop: it is left out, with a warning; error: the request fails with 500 unknown_document.",
		[]UnknownPolicy(nil), UnknownLabel, UnknownDrop, UnknownError),
	enum("support_check", "How claims are checked against their sources: by words, numbers and names (lexical), by meaning, too (embedding), or not (off). Without an embedder, embedding is lexical.", []SupportCheck(nil), SupportLexical, SupportEmbedding, SupportOff),
	enum("confidence_similarity", "How confidence compares question and answer: by the mean score of the cited sources in place of it (proxy), or by the cosine of their vectors (embedding); without an embedder, embedding is proxy.", []SimilarityMethod(nil), SimilarityProxy, SimilarityEmbedding),
	{Name: "citation_prompt", MaxLength: MaxPrompt, Help: "Preset (" + strings.Join(CitationPresets(), ", ") + ") or own text with " + SourcesPlace + "."},
	enum("citation_offset_unit", "Unit of offsets into the answer.", []OffsetUnit(nil), UnitCodepoint, UnitUTF16, UnitByte),
	enum("search_mode", "What a question is searched by: its words (FullText), its meaning (Vector), or both (Hybrid). Without an embedder, and for documents whose vectors are not made yet, Hybrid is FullText.",
		[]SearchMode(nil), SearchVector, SearchFullText, SearchHybrid),
	number("text_weight", "Weight of the text score beside the vector score, in Hybrid; it grows by itself for questions in words that the embedding model does not know, and, from above 0 to 0.6, with the embedded index for those that name a number that stands in the documents.", 0, 1),
	number("retrieval_top_k", "Passages retrieved for each question.", 1, 50),
	number("retrieval_score_threshold", "Passages that score less are left out; parts of tables of contents keep half of their score.", 0, 1),
	number("context_top_k", "Passages given to the model, of those retrieved and reranked; null: all.", 1, 50),
	number("retrieval_include_neighbors", "Passages before and after each hit that are given to the model with it; no passage is given twice. Sources keep the place and excerpt of the hit.", 0, 10),
	{Name: "retrieval_label_filter", Help: "Labels that documents must have, all of them (required), or must not have (excluded); null: any. The request's metadata_filter adds to it."},
	{Name: "retrieval_tag_filter", Help: "Conditions on tags that must all hold (required), or of which none may (excluded): objects with key, condition (" + strings.Join(TagConditions, ", ") + ") and value; null: none. The request's metadata_filter adds to it."},
	{Name: "collections", Help: "Ids of further collections that this assistant reads beside its own, searched as one with it."},
	enum("on_retrieval_error", "Answer without sources, or fail, when retrieval fails.", []ErrorPolicy(nil), OnErrorDegrade, OnErrorFail),
	{Name: "expose_retrieved_chunks", Help: "Whether answers carry the retrieved passages' text."},
	{Name: "enable_retrieval_gate", Help: "Ask the assistant's model, from the second question of a conversation on, whether it needs the documents at all; one more model call."},
	{Name: "enable_query_rewrite", Help: "Ask the assistant's model for up to three other wordings of the question, which are searched for as well; one more model call."},
	{Name: "query_rewrite_prompt", MaxLength: MaxPrompt, Help: "Own system message for enable_query_rewrite; the model gets the end of the conversation after it and answers with a wording per line. null: ours."},
	{Name: "enable_reranking", Help: "Let the assistant's model score the passages and put them in order; one more model call."},
	number("reranker_top_k", "Passages kept after reranking.", 1, 50),
	number("reranker_score_threshold", "Passages the model scores less, from 0 to 10, are left out.", 0, 10),
	{Name: "rerank_prompt", MaxLength: MaxPrompt, Help: "Own system message for enable_reranking; the model gets the question and numbered passages after it and answers with JSON, [{\"index\":1,\"score\":7}]. null: ours."},
	later(Field{Name: "enable_compaction", Help: "Summarise old turns near the context window."}),
	later(Field{Name: "store_history", Help: "Keep questions and answers."}),
	later(number("history_retention_days", "Days that history is kept.", 1, 3650)),
	{Name: "public_access", Help: "Chat without a key, rate-limited."},
	later(short(Field{Name: "title", Help: "Title shown to people."})),
	later(Field{Name: "logo_url", Help: "Picture shown to people."}),
	later(Field{Name: "eval_judge_prompt", Help: "Prompt of the judge in evaluations."}),
})

// Fields returns the description of every setting, in the contract's order.
func Fields() []Field { return slices.Clone(fields) }

func withDefaults(fs []Field) []Field {
	values := members(DefaultSettings())
	if len(values) != len(fs) {
		panic("assistants: the table of fields and Settings differ in length")
	}
	for i := range fs {
		v, ok := values[fs[i].Name]
		if !ok {
			panic("assistants: Settings has no field " + fs[i].Name)
		}
		fs[i].Default = v
	}
	return fs
}

// members maps JSON names to the values of a Settings; nil pointers are nil.
func members(s Settings) map[string]any {
	v := reflect.ValueOf(s)
	m := make(map[string]any, v.NumField())
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Kind() == reflect.Pointer && f.IsNil():
			m[v.Type().Field(i).Tag.Get("json")] = nil
		case f.Kind() == reflect.Pointer:
			m[v.Type().Field(i).Tag.Get("json")] = f.Elem().Interface()
		default:
			m[v.Type().Field(i).Tag.Get("json")] = f.Interface()
		}
	}
	return m
}

// Merge returns s with the members of a JSON object put in, checked. What the
// object does not name stays as it is; null resets a field to its default.
// The error is a [FieldError] that names the setting; its kind is ErrInvalid,
// or ErrNotBuilt for values whose effect is not part of this version.
func (s Settings) Merge(patch []byte) (Settings, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(patch, &given); err != nil || given == nil {
		return s, &FieldError{Message: "Settings must be a JSON object."}
	}
	out := s
	target := reflect.ValueOf(&out).Elem()
	defaults := reflect.ValueOf(DefaultSettings())
	for i := range target.NumField() {
		name := target.Type().Field(i).Tag.Get("json")
		raw, ok := given[name]
		if !ok {
			continue
		}
		delete(given, name)
		fresh := reflect.New(target.Field(i).Type())
		if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
			fresh.Elem().Set(defaults.Field(i))
		} else if err := decodeStrict(raw, fresh.Interface()); err != nil {
			return s, &FieldError{Field: name, Message: fmt.Sprintf("%s must be %s.", name, kindOf(target.Field(i).Type()))}
		}
		target.Field(i).Set(fresh.Elem())
	}
	for _, name := range sortedKeys(given) {
		return s, &FieldError{Field: name, Message: fmt.Sprintf("There is no setting %q%s", clip(name), nearest(name))}
	}
	return out, out.Validate()
}

// Validate checks every setting and the rules between them. Its error is the
// first [FieldError] in the contract's order.
func (s Settings) Validate() error {
	values := members(s)
	for _, f := range fields {
		if err := f.check(values[f.Name]); err != nil {
			return err
		}
	}
	if err := s.checkUpstream(); err != nil {
		return err
	}
	if err := s.checkPrompt(); err != nil {
		return err
	}
	if err := s.checkSearched(); err != nil {
		return err
	}
	if s.EnableCitations && !s.EnableRAG {
		return &FieldError{Field: "enable_citations", Message: "enable_citations needs enable_rag."}
	}
	if s.LogoURL != nil {
		if u, err := url.Parse(*s.LogoURL); err != nil || u.Scheme != "https" && u.Scheme != "http" {
			return &FieldError{Field: "logo_url", Message: "logo_url must be an http or https URL."}
		}
	}
	return nil
}

// checkSearched checks what a question may be searched in.
func (s Settings) checkSearched() error {
	if s.RetrievalLabelFilter != nil {
		if problem := s.RetrievalLabelFilter.problem(); problem != "" {
			return &FieldError{Field: "retrieval_label_filter", Message: "retrieval_label_filter: " + problem}
		}
	}
	if s.RetrievalTagFilter != nil {
		if problem := s.RetrievalTagFilter.problem(); problem != "" {
			return &FieldError{Field: "retrieval_tag_filter", Message: "retrieval_tag_filter: " + problem}
		}
	}
	if len(s.Collections) > MaxCollections {
		return &FieldError{Field: "collections", Message: fmt.Sprintf("collections has at most %d entries.", MaxCollections)}
	}
	for _, id := range s.Collections {
		if !IsID("coll_", id) {
			return &FieldError{Field: "collections", Message: "collections must hold ids of collections."}
		}
	}
	return nil
}

func (f Field) check(v any) error {
	if v == nil {
		return nil
	}
	invalid := func(format string, args ...any) error {
		return &FieldError{Field: f.Name, Message: fmt.Sprintf(format, args...)}
	}
	var n float64
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.String:
		if f.Allowed != nil && !slices.Contains(f.Allowed, rv.String()) {
			return invalid("%s must be one of %s.", f.Name, strings.Join(f.Allowed, ", "))
		}
		if !utf8.ValidString(rv.String()) || strings.ContainsRune(rv.String(), 0) {
			return invalid("%s must be text without NUL.", f.Name)
		}
		if f.MaxLength > 0 && utf8.RuneCountInString(rv.String()) > f.MaxLength {
			return invalid("%s has at most %d characters.", f.Name, f.MaxLength)
		}
	case reflect.Float64:
		n = rv.Float()
	case reflect.Int:
		n = float64(rv.Int())
	}
	if f.Min != nil && n < *f.Min || f.Max != nil && n > *f.Max {
		if f.Max == nil {
			return invalid("%s must be at least %v.", f.Name, *f.Min)
		}
		return invalid("%s must be between %v and %v.", f.Name, *f.Min, *f.Max)
	}
	if f.Restricted && f.restricts(v) {
		return &FieldError{Field: f.Name, Kind: ErrNotBuilt,
			Message: fmt.Sprintf("This value of %s is not available in this version; leave it at its default.", f.Name)}
	}
	return nil
}

func (f Field) restricts(v any) bool {
	if len(f.NotBuilt) > 0 {
		return slices.Contains(f.NotBuilt, fmt.Sprint(v))
	}
	return !reflect.DeepEqual(v, f.Default)
}

func decodeStrict(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

func kindOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return kindOf(t.Elem()) + " or null"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	default:
		return "a string"
	}
}

// nearest ends a sentence about a setting that does not exist, with the one
// that may be meant.
func nearest(name string) string {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for _, f := range fields {
		if plain(f.Name) == plain(name) {
			return fmt.Sprintf("; did you mean %q?", f.Name)
		}
	}
	return "."
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
