package assistants

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Field describes one setting. The API validates settings by these fields, and GET
// /v1.0/defaults lists them.
type Field struct {
	Name    string   `json:"name"`
	Default any      `json:"default"`
	Allowed []string `json:"allowed,omitempty"` // values of an enumeration
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
	// MaxLength is the longest text in code points, 0 for one without a limit.
	MaxLength int    `json:"max_length,omitempty"`
	Help      string `json:"help"`
	// NotBuilt says that this version accepts the default only.
	NotBuilt bool `json:"-"`
}

func enum[T ~string](name, help string, allowed ...T) Field {
	f := Field{Name: name, Help: help}
	for _, a := range allowed {
		f.Allowed = append(f.Allowed, string(a))
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

// limit is the field of a limit.
func limit(name Limit, help string) Field {
	return number(string(name), help+"; more are refused with 429, and 0 allows none. Keys have limits of their own. null: no limit.", 0, MaxOfLimit)
}

// short limits a text to the length of its column in the database.
func short(f Field) Field {
	f.MaxLength = MaxName
	return f
}

func notBuilt(f Field) Field {
	f.NotBuilt = true
	return f
}

// unbounded, as the upper end of a range, means that the range has none.
const unbounded = -1

// fields holds every setting, in the order of the API. The defaults come from
// DefaultSettings.
var fields = withDefaults([]Field{
	{Name: "system_prompt", Help: "System message for requests that have none."},
	short(Field{Name: "upstream", Help: "Id or name of the stored upstream that answers, or builtin:extractive; null: the default upstream."}),
	short(Field{Name: "model", Help: "Model to ask at the upstream; null: the upstream's default_model."}),
	{Name: "upstream_fallbacks", Help: "Up to 5 upstreams, each with upstream and, if it is not the upstream's default_model, model. They are asked in this order when the one before fails before the first byte of its answer. The smallest of their models' context windows bounds the sources."},
	{Name: "allow_model_override", Help: "Whether a client may choose another model of the upstream."},
	number("temperature", "Sent when the client does not set it.", 0, 2),
	number("top_p", "Sent when the client does not set it.", 0, 1),
	number("max_tokens", "Sent when the client does not set it.", 1, unbounded),
	number("context_window", "Size of the model's context in tokens; null: as known for the model, else 32,768.", 1024, unbounded),
	{Name: "enable_rag", Help: "Whether passages are retrieved for each question."},
	{Name: "enable_citations", Help: "Whether answers have citations; needs enable_rag."},
	enum("citation_link_mode", "Kind of download_url that sources have.", LinkNone, LinkAuthenticated, LinkPublic),
	number("citation_link_ttl_seconds", "Lifetime of a public link in seconds, from the time of the answer.", 1, MaxLinkTTLSeconds),
	enum("citation_link_delivery", "Who sends the document of a public link: the S3 server (presigned), or this one (proxy), which checks at the click that the assistant still gives the link. null: presigned if the documents are on S3, else proxy.",
		DeliverPresigned, DeliverProxy),
	enum("citation_format", "Format of citations. native: the citations object, and OpenAI's annotations when there are links; openai: annotations only; "+
		"perplexity: lists of URLs; azure: context.citations and [docN] markers; markdown: the object, and a list of sources after the text; none: no citations.",
		FormatNative, FormatOpenAI, FormatPerplexity, FormatAzure, FormatMarkdown, FormatNone),
	enum("citation_numbering", "What gets a number: each passage (chunk), or each document, whose passages share the number.", NumberChunks, NumberDocuments),
	{Name: "citation_renumber", Help: "Whether cited sources are numbered 1, 2, … in the order in which the answer cites them, also in the text. The azure format ignores it, because its list is sent before the text."},
	enum("marker_mode", "Whether markers stay in the answer (keep) or are removed (strip).", MarkersKeep, MarkersStrip),
	enum("history_markers", "Whether markers in earlier assistant messages are forwarded.", HistoryStrip, HistoryKeep),
	enum("orphan_policy", "How a marker without a source is handled. drop: it is listed in invalid_indices; disclaim: no source counts as cited, and there is a warning; error: the request fails with 502 citation_mapping_error.",
		OrphanDrop, OrphanDisclaim, OrphanError),
	enum("no_marker_policy", "How an answer that cites none of its sources is handled. empty: the citations object shows that none is referenced; all_sources: one source of each document is referenced, with auto_populated; fail: the request fails with 502 no_citations.",
		NoMarkerEmpty, NoMarkerAllSources, NoMarkerFail),
	enum("no_sources_policy", "What answers a question that no passage fits. answer: the model, which is told so; refuse: a fixed sentence, and no model is called.",
		NoSourcesAnswer, NoSourcesRefuse),
	enum("unknown_document_policy", "How a passage whose document has no name is handled. label: the document is called Unknown Document; drop: the passage is left out, with a warning; error: the request fails with 500 unknown_document.",
		UnknownLabel, UnknownDrop, UnknownError),
	enum("support_check", "How claims are compared with their sources: by words, numbers and names (lexical), by meaning as well (embedding), or not (off). Without an embedder, embedding works like lexical.",
		SupportLexical, SupportEmbedding, SupportOff),
	enum("confidence_similarity", "How confidence measures the similarity of question and answer: by the mean score of the cited sources (proxy), or by the cosine of their vectors (embedding). Without an embedder, embedding works like proxy.",
		SimilarityProxy, SimilarityEmbedding),
	{Name: "citation_prompt", MaxLength: MaxPrompt, Help: "A preset (" + strings.Join(CitationPresets(), ", ") + ") or a custom text with " + SourcesPlace + "."},
	enum("citation_offset_unit", "Unit of offsets into the answer.", UnitCodepoint, UnitUTF16, UnitByte),
	enum("search_mode", "How passages are searched: by words (FullText), by meaning (Vector), or both (Hybrid). Without an embedder, and for documents that have no vectors yet, Hybrid works like FullText.",
		SearchVector, SearchFullText, SearchHybrid),
	number("text_weight", "Weight of the text score in Hybrid; the vector score has the rest. It is raised for questions with words that the embedding model does not know. If it is above 0, the embedded index raises it to at least 0.6 for questions with a number that the documents contain.", 0, 1),
	number("retrieval_top_k", "Number of passages retrieved for each question.", 1, 50),
	number("retrieval_score_threshold", "A question has sources if a passage has at least this score. Further passages need four fifths of it, except in searches of vector stores with a score_threshold of their own. Passages of tables of contents count with half of their score.", 0, 1),
	number("context_top_k", "Number of passages given to the model, after reranking; null: all.", 1, 50),
	number("max_sources_per_document", "Largest number of retrieved passages of the same document; the places of others go to the next best passages of other documents. null: no limit.", 1, 50),
	{Name: "synonyms", Help: "Words and phrases by which questions find passages that use others: up to 1,000 lines of up to 200 characters. A line such as \"capex, capital expenditure\" lists what means the same. In \"capex => purchases of equipment\" only the left side stands for the right one. A phrase with a comma is quoted, as in CSV. Synonyms of shared collections are used as well."},
	{Name: "synonym_packs", Allowed: SynonymPacks(), Help: "Built-in synonyms that are used as well, each in English and German: " + strings.Join(SynonymPacks(), ", ") + "."},
	number("retrieval_include_neighbors", "Number of passages before and after each hit that the model gets with it. No passage is given twice. Sources show the page and excerpt of the hit.", 0, 10),
	{Name: "retrieval_label_filter", Help: "Labels that documents must have (required, all of them) or must not have (excluded); null: any. A request's metadata_filter restricts further."},
	{Name: "retrieval_tag_filter", Help: "Conditions on tags of which all (required) or none (excluded) must hold: objects with key, condition (" + strings.Join(TagConditions, ", ") + ") and value; null: none. A request's metadata_filter restricts further."},
	{Name: "collections", Help: "Ids of up to 1000 further collections that this assistant searches together with its own."},
	enum("on_retrieval_error", "What happens when retrieval fails: an answer without sources (degrade) or an error (fail).", OnErrorDegrade, OnErrorFail),
	{Name: "expose_retrieved_chunks", Help: "Whether answers include the text of the retrieved passages."},
	{Name: "enable_retrieval_gate", Help: "Whether the assistant's model decides, from the second question of a conversation on, if documents are needed; one more model call."},
	{Name: "enable_query_rewrite", Help: "Whether the assistant's model rewrites the question in up to three ways, which are searched for as well; one more model call."},
	{Name: "query_rewrite_prompt", MaxLength: MaxPrompt, Help: "System message for enable_query_rewrite. The end of the conversation follows it, and the model must answer with one wording per line. null: the built-in message."},
	{Name: "enable_reranking", Help: "Whether the assistant's model scores and sorts the passages; one more model call."},
	number("reranker_top_k", "Number of passages kept after reranking.", 1, 50),
	number("reranker_score_threshold", "Passages that the model scores lower, from 0 to 10, are left out.", 0, 10),
	{Name: "rerank_prompt", MaxLength: MaxPrompt, Help: "System message for enable_reranking. The question and numbered passages follow it, and the model must answer with JSON, [{\"index\":1,\"score\":7}]. null: the built-in message."},
	number("search_temperature", "Temperature of the answers of /v1/search.", 0, 2),
	number("search_max_tokens", "Longest answer of /v1/search, in tokens.", 1, unbounded),
	number("search_top_k", "Number of passages that an answer of /v1/search is made from.", 1, 50),
	number("search_timeout_seconds", "How long the model may take to answer a /v1/search. After that, the results are returned without an answer.", 1, 600),
	{Name: "enable_compaction", Help: "Whether the assistant's model summarises the messages before the last question when they and the sources exceed the context window; one more model call then."},
	{Name: "store_history", Help: "Whether questions and answers are stored, to be read in the assistant's history. A request with the header X-Footnote-History: off, or with store: false, is not."},
	number("history_retention_days", "Number of days that questions and answers are stored.", 1, 3650),
	{Name: "public_access", Help: "Whether chat works without a key, with a rate limit."},
	limit(RequestsPerMinute, "Chats with the assistant in any 60 seconds"),
	limit(TokensPerMinute, "Tokens of the prompts and answers of its chats in any 60 seconds"),
	limit(ConcurrentStreams, "Its streamed answers at the same time"),
	limit(SearchesPerMinute, "Searches of its documents in any 60 seconds"),
	limit(UploadsPerMinute, "Files uploaded to it in any 60 seconds"),
	limit(RequestsPerMonth, "Chats with it in a month (UTC)"),
	limit(TokensPerMonth, "Tokens of the prompts and answers of its chats in a month (UTC)"),
	short(Field{Name: "title", Help: "What users of a chat see in place of the assistant's name; null: its name."}),
	notBuilt(Field{Name: "logo_url", Help: "URL of the picture shown to users."}),
	{Name: "eval_judge_prompt", MaxLength: MaxPrompt, Help: "System message for the judge in evaluations. The question, the expected answer and the assistant's answer follow it, and the model must begin with PASS or FAIL. null: the built-in message."},
})

// Fields returns the description of every setting, in the API's order.
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

// members maps JSON names to the values of a Settings; nil pointers and ceilings that are
// none are nil.
func members(s Settings) map[string]any {
	v := reflect.ValueOf(s)
	m := make(map[string]any, v.NumField())
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Kind() == reflect.Pointer && f.IsNil(), f.Type() == ceiling && f.IsZero():
			m[v.Type().Field(i).Tag.Get("json")] = nil
		case f.Kind() == reflect.Pointer:
			m[v.Type().Field(i).Tag.Get("json")] = f.Elem().Interface()
		default:
			m[v.Type().Field(i).Tag.Get("json")] = f.Interface()
		}
	}
	return m
}

// Merge returns s with the members of a JSON object applied and checked. Missing
// members do not change, and null resets a setting to its default. The error is
// a [FieldError] that names the setting, of kind ErrInvalid, or ErrNotBuilt for
// values that this version does not support yet.
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
			wrong := &FieldError{Field: name, Message: fmt.Sprintf("%s must be %s.", name, kindOf(target.Field(i).Type()))}
			if _, ok := fresh.Interface().(*[]string); ok { // as where such a list is not a setting
				wrong.Kind = ErrWrongType
			}
			return s, wrong
		} else if given, ok := fresh.Interface().(*Ceiling); ok {
			if err := fields[i].check(int(*given)); err != nil {
				return s, err
			}
		}
		target.Field(i).Set(fresh.Elem())
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		return s, &FieldError{Field: name, Message: fmt.Sprintf("There is no setting %q%s", clip(name), nearest(name))}
	}
	return out, out.Validate()
}

// Validate checks every setting and the rules between them. Its error is the
// first [FieldError] in the API's order.
func (s Settings) Validate() error {
	values := members(s)
	for _, f := range fields {
		if _, ok := values[f.Name].(Ceiling); ok {
			continue // Merge checks it: what is stored may be larger, since up to 100 was valid once
		}
		if err := f.check(values[f.Name]); err != nil {
			return err
		}
	}
	if err := s.checkUpstream(); err != nil {
		return err
	}
	if err := s.checkFallbacks(); err != nil {
		return err
	}
	if err := s.checkPrompt(); err != nil {
		return err
	}
	if err := s.checkSearched(); err != nil {
		return err
	}
	if err := CheckSynonyms("synonyms", s.Synonyms); err != nil {
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

// checkSearched checks the settings that select documents.
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
	case reflect.Slice:
		if list, ok := v.([]string); ok && f.Allowed != nil && slices.ContainsFunc(list, func(s string) bool { return !slices.Contains(f.Allowed, s) }) {
			return invalid("%s may hold %s.", f.Name, strings.Join(f.Allowed, ", "))
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
	if f.NotBuilt && !reflect.DeepEqual(v, f.Default) {
		return &FieldError{Field: f.Name, Kind: ErrNotBuilt,
			Message: fmt.Sprintf("This value of %s is not available in this version; leave it at its default.", f.Name)}
	}
	return nil
}

var ceiling = reflect.TypeFor[Ceiling]()

func kindOf(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return kindOf(t.Elem()) + " or null"
	case t == ceiling:
		return "a whole number or null"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "a list of strings"
		}
		return "a list"
	case reflect.Struct:
		return "an object"
	default:
		return "a string"
	}
}

// nearest ends the sentence about an unknown setting, with a suggestion if there
// is one.
func nearest(name string) string {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for _, f := range fields {
		if plain(f.Name) == plain(name) {
			return fmt.Sprintf("; did you mean %q?", f.Name)
		}
	}
	return "."
}
