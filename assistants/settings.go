package assistants

import (
	"fmt"
	"slices"
	"strconv"
)

// Settings are what an admin sets per assistant. Zero and false are values; nil
// means not set. The JSON names are the API's. [Fields] has the defaults, rules
// and explanations.
type Settings struct {
	SystemPrompt       string     `json:"system_prompt"`
	Upstream           *string    `json:"upstream"`
	Model              *string    `json:"model"`
	UpstreamFallbacks  []Fallback `json:"upstream_fallbacks"`
	AllowModelOverride bool       `json:"allow_model_override"`
	Temperature        *float64   `json:"temperature"`
	TopP               *float64   `json:"top_p"`
	MaxTokens          *int       `json:"max_tokens"`
	ContextWindow      *int       `json:"context_window"`

	EnableRAG              bool             `json:"enable_rag"`
	EnableCitations        bool             `json:"enable_citations"`
	CitationLinkMode       LinkMode         `json:"citation_link_mode"`
	CitationLinkTTLSeconds int              `json:"citation_link_ttl_seconds"`
	CitationLinkDelivery   *LinkDelivery    `json:"citation_link_delivery"` // nil: presigned on S3, else proxy
	CitationFormat         CitationFormat   `json:"citation_format"`
	CitationNumbering      Numbering        `json:"citation_numbering"`
	CitationRenumber       bool             `json:"citation_renumber"`
	MarkerMode             MarkerMode       `json:"marker_mode"`
	HistoryMarkers         HistoryMarkers   `json:"history_markers"`
	OrphanPolicy           OrphanPolicy     `json:"orphan_policy"`
	NoMarkerPolicy         NoMarkerPolicy   `json:"no_marker_policy"`
	NoSourcesPolicy        NoSourcesPolicy  `json:"no_sources_policy"`
	UnknownDocumentPolicy  UnknownPolicy    `json:"unknown_document_policy"`
	SupportCheck           SupportCheck     `json:"support_check"`
	ConfidenceSimilarity   SimilarityMethod `json:"confidence_similarity"`
	CitationPrompt         string           `json:"citation_prompt"`
	CitationOffsetUnit     OffsetUnit       `json:"citation_offset_unit"`

	SearchMode                SearchMode   `json:"search_mode"`
	TextWeight                float64      `json:"text_weight"`
	RetrievalTopK             int          `json:"retrieval_top_k"`
	RetrievalScoreThreshold   float64      `json:"retrieval_score_threshold"`
	ContextTopK               *int         `json:"context_top_k"`
	MaxSourcesPerDocument     Ceiling      `json:"max_sources_per_document"`
	Synonyms                  []string     `json:"synonyms"`
	SynonymPacks              []string     `json:"synonym_packs"`
	RetrievalIncludeNeighbors int          `json:"retrieval_include_neighbors"`
	RetrievalLabelFilter      *LabelFilter `json:"retrieval_label_filter"`
	RetrievalTagFilter        *TagFilter   `json:"retrieval_tag_filter"`
	Collections               []string     `json:"collections"`
	OnRetrievalError          ErrorPolicy  `json:"on_retrieval_error"`
	ExposeRetrievedChunks     bool         `json:"expose_retrieved_chunks"`
	EnableRetrievalGate       bool         `json:"enable_retrieval_gate"`
	EnableQueryRewrite        bool         `json:"enable_query_rewrite"`
	QueryRewritePrompt        *string      `json:"query_rewrite_prompt"`
	EnableReranking           bool         `json:"enable_reranking"`
	RerankerTopK              int          `json:"reranker_top_k"`
	RerankerScoreThreshold    float64      `json:"reranker_score_threshold"`
	RerankPrompt              *string      `json:"rerank_prompt"`

	SearchTemperature    float64 `json:"search_temperature"`
	SearchMaxTokens      int     `json:"search_max_tokens"`
	SearchTopK           int     `json:"search_top_k"`
	SearchTimeoutSeconds int     `json:"search_timeout_seconds"`

	EnableCompaction     bool `json:"enable_compaction"`
	StoreHistory         bool `json:"store_history"`
	HistoryRetentionDays int  `json:"history_retention_days"`
	PublicAccess         bool `json:"public_access"`

	RequestsPerMinute *int `json:"requests_per_minute"`
	TokensPerMinute   *int `json:"tokens_per_minute"`
	ConcurrentStreams *int `json:"concurrent_streams"`
	SearchesPerMinute *int `json:"searches_per_minute"`
	UploadsPerMinute  *int `json:"uploads_per_minute"`
	RequestsPerMonth  *int `json:"requests_per_month"`
	TokensPerMonth    *int `json:"tokens_per_month"`

	Title           *string `json:"title"`
	LogoURL         *string `json:"logo_url"`
	EvalJudgePrompt *string `json:"eval_judge_prompt"`
}

// DefaultSystemPrompt is the default of system_prompt.
const DefaultSystemPrompt = "You are a helpful assistant. Use the provided context to answer questions accurately."

// DefaultContextWindow is the context, in tokens, assumed for unknown models.
const DefaultContextWindow = 32768

// DefaultAnswerTokens is kept free for the answer when neither the request nor the assistant
// bounds it.
const DefaultAnswerTokens = 1024

// MaxLinkTTLSeconds is the longest life of a link: seven days, as for AWS signatures (SigV4).
const MaxLinkTTLSeconds = 604800

// DefaultSettings returns the settings of a new assistant.
func DefaultSettings() Settings {
	return Settings{
		SystemPrompt:            DefaultSystemPrompt,
		AllowModelOverride:      true,
		UpstreamFallbacks:       []Fallback{},
		CitationLinkMode:        LinkNone,
		CitationLinkTTLSeconds:  MaxLinkTTLSeconds,
		CitationFormat:          FormatNative,
		CitationNumbering:       NumberChunks,
		MarkerMode:              MarkersKeep,
		HistoryMarkers:          HistoryStrip,
		OrphanPolicy:            OrphanDrop,
		NoMarkerPolicy:          NoMarkerEmpty,
		NoSourcesPolicy:         NoSourcesAnswer,
		UnknownDocumentPolicy:   UnknownLabel,
		SupportCheck:            SupportLexical,
		ConfidenceSimilarity:    SimilarityProxy,
		CitationPrompt:          PresetDefault,
		CitationOffsetUnit:      UnitCodepoint,
		SearchMode:              SearchHybrid,
		TextWeight:              0.3,
		RetrievalTopK:           10,
		RetrievalScoreThreshold: 0.3,
		Synonyms:                []string{},
		SynonymPacks:            []string{PackBusiness, PackLegal, PackHR},
		Collections:             []string{},
		OnRetrievalError:        OnErrorDegrade,
		RerankerTopK:            5,
		RerankerScoreThreshold:  3.0,
		SearchTemperature:       0.3,
		SearchMaxTokens:         500,
		SearchTopK:              5,
		SearchTimeoutSeconds:    30,
		HistoryRetentionDays:    7,
	}
}

// MaxCollections is how many further collections an assistant may read.
const MaxCollections = 1000

// Searches returns the collections that an assistant reads: its own, then the
// further ones.
func (s Settings) Searches(own CollectionID) []CollectionID {
	all := append(make([]CollectionID, 0, 1+len(s.Collections)), own)
	for _, id := range s.Collections {
		if !slices.Contains(all, CollectionID(id)) {
			all = append(all, CollectionID(id))
		}
	}
	return all
}

// Filter returns the filter of the settings.
func (s Settings) Filter() Filter {
	var f Filter
	if s.RetrievalLabelFilter != nil {
		f.Labels = *s.RetrievalLabelFilter
	}
	if s.RetrievalTagFilter != nil {
		f.Tags = *s.RetrievalTagFilter
	}
	return f
}

// UnknownCollection is the error of settings that name a collection which does
// not exist or is another tenant's. field is the setting's path in the request.
func UnknownCollection(field, id string) *FieldError {
	return &FieldError{Field: field, Message: fmt.Sprintf("There is no collection %q.", clip(id))}
}

// LinkMode says what kind of download_url a source has.
type LinkMode string

// Link modes.
const (
	LinkNone          LinkMode = "None"
	LinkAuthenticated LinkMode = "Authenticated"
	LinkPublic        LinkMode = "Public"
)

// LinkDelivery says who sends the document of a public link.
type LinkDelivery string

// Deliveries of public links.
const (
	DeliverPresigned LinkDelivery = "presigned" // the S3 server that keeps the documents
	DeliverProxy     LinkDelivery = "proxy"     // this server
)

// CitationFormat is the format of citations in answers.
type CitationFormat string

// Citation formats.
const (
	FormatNative     CitationFormat = "native"
	FormatOpenAI     CitationFormat = "openai"
	FormatPerplexity CitationFormat = "perplexity"
	FormatAzure      CitationFormat = "azure"
	FormatMarkdown   CitationFormat = "markdown"
	FormatNone       CitationFormat = "none"
)

// Numbering says what gets a number of its own.
type Numbering string

// Numberings.
const (
	NumberChunks    Numbering = "chunk"
	NumberDocuments Numbering = "document"
)

// MarkerMode says whether markers stay in the answer.
type MarkerMode string

// Marker modes.
const (
	MarkersKeep  MarkerMode = "keep"
	MarkersStrip MarkerMode = "strip"
)

// HistoryMarkers says what happens to markers in earlier assistant messages.
type HistoryMarkers string

// Treatments of markers in earlier messages.
const (
	HistoryStrip HistoryMarkers = "strip"
	HistoryKeep  HistoryMarkers = "keep"
)

// A Ceiling is a largest number; 0, which is null in JSON, for none.
type Ceiling int

// MarshalJSON writes the number, or null.
func (c Ceiling) MarshalJSON() ([]byte, error) {
	if c == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(c), 10), nil
}

// OrphanPolicy says how a marker without a source is handled.
type OrphanPolicy string

// Orphan policies.
const (
	OrphanDrop     OrphanPolicy = "drop"
	OrphanDisclaim OrphanPolicy = "disclaim"
	OrphanError    OrphanPolicy = "error"
)

// NoMarkerPolicy says how an answer without markers is handled.
type NoMarkerPolicy string

// Policies for answers without markers.
const (
	NoMarkerEmpty      NoMarkerPolicy = "empty"
	NoMarkerAllSources NoMarkerPolicy = "all_sources"
	NoMarkerFail       NoMarkerPolicy = "fail"
)

// NoSourcesPolicy says what answers a question that no passage fits.
type NoSourcesPolicy string

// Policies for questions that no passage fits.
const (
	NoSourcesAnswer NoSourcesPolicy = "answer"
	NoSourcesRefuse NoSourcesPolicy = "refuse"
)

// UnknownPolicy says what happens to a passage whose document has no name.
type UnknownPolicy string

// Policies for passages of unknown documents.
const (
	UnknownLabel UnknownPolicy = "label"
	UnknownDrop  UnknownPolicy = "drop"
	UnknownError UnknownPolicy = "error"
)

// SupportCheck says how claims are checked against their sources.
type SupportCheck string

// Support checks.
const (
	SupportLexical   SupportCheck = "lexical"
	SupportEmbedding SupportCheck = "embedding"
	SupportOff       SupportCheck = "off"
)

// SimilarityMethod says how confidence compares question and answer.
type SimilarityMethod string

// Similarity methods.
const (
	SimilarityProxy     SimilarityMethod = "proxy"
	SimilarityEmbedding SimilarityMethod = "embedding"
)

// OffsetUnit is the unit of offsets into the answer.
type OffsetUnit string

// Offset units.
const (
	UnitCodepoint OffsetUnit = "codepoint"
	UnitUTF16     OffsetUnit = "utf16"
	UnitByte      OffsetUnit = "byte"
)

// SearchMode says how passages are searched.
type SearchMode string

// Search modes.
const (
	SearchVector   SearchMode = "Vector"
	SearchFullText SearchMode = "FullText"
	SearchHybrid   SearchMode = "Hybrid"
)

// ErrorPolicy says what happens when retrieval fails.
type ErrorPolicy string

// Policies for failed retrieval.
const (
	OnErrorDegrade ErrorPolicy = "degrade"
	OnErrorFail    ErrorPolicy = "fail"
)

// PresetDefault is the default of citation_prompt.
const PresetDefault = "default"
