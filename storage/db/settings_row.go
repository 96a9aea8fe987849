package db

import "footnote/assistants"

// settingsColumns is [assistants.Settings] with a column per setting. The
// conversion between the two types compiles only while they have the same
// fields, so no setting can be left out. Defaults are those of
// assistants.DefaultSettings; a test compares them.
type settingsColumns struct {
	SystemPrompt       string                `gorm:"column:system_prompt;not null;default:You are a helpful assistant. Use the provided context to answer questions accurately."`
	Upstream           *string               `gorm:"column:upstream;size:255"`
	Model              *string               `gorm:"column:model;size:255"`
	UpstreamFallbacks  []assistants.Fallback `gorm:"column:upstream_fallbacks;serializer:json;not null;default:'[]'"`
	AllowModelOverride bool                  `gorm:"column:allow_model_override;not null;default:true"`
	Temperature        *float64              `gorm:"column:temperature"`
	TopP               *float64              `gorm:"column:top_p"`
	MaxTokens          *int                  `gorm:"column:max_tokens"`
	ContextWindow      *int                  `gorm:"column:context_window"`

	EnableRAG              bool                        `gorm:"column:enable_rag;not null;default:false"`
	EnableCitations        bool                        `gorm:"column:enable_citations;not null;default:false"`
	CitationLinkMode       assistants.LinkMode         `gorm:"column:citation_link_mode;size:32;not null;default:None"`
	CitationLinkTTLSeconds int                         `gorm:"column:citation_link_ttl_seconds;not null;default:604800"`
	CitationLinkDelivery   *assistants.LinkDelivery    `gorm:"column:citation_link_delivery;size:32"`
	CitationFormat         assistants.CitationFormat   `gorm:"column:citation_format;size:32;not null;default:native"`
	CitationNumbering      assistants.Numbering        `gorm:"column:citation_numbering;size:32;not null;default:chunk"`
	CitationRenumber       bool                        `gorm:"column:citation_renumber;not null;default:false"`
	MarkerMode             assistants.MarkerMode       `gorm:"column:marker_mode;size:32;not null;default:keep"`
	HistoryMarkers         assistants.HistoryMarkers   `gorm:"column:history_markers;size:32;not null;default:strip"`
	OrphanPolicy           assistants.OrphanPolicy     `gorm:"column:orphan_policy;size:32;not null;default:drop"`
	NoMarkerPolicy         assistants.NoMarkerPolicy   `gorm:"column:no_marker_policy;size:32;not null;default:empty"`
	NoSourcesPolicy        assistants.NoSourcesPolicy  `gorm:"column:no_sources_policy;size:32;not null;default:answer"`
	UnknownDocumentPolicy  assistants.UnknownPolicy    `gorm:"column:unknown_document_policy;size:32;not null;default:label"`
	SupportCheck           assistants.SupportCheck     `gorm:"column:support_check;size:32;not null;default:lexical"`
	ConfidenceSimilarity   assistants.SimilarityMethod `gorm:"column:confidence_similarity;size:32;not null;default:proxy"`
	CitationPrompt         string                      `gorm:"column:citation_prompt;not null;default:default"`
	CitationOffsetUnit     assistants.OffsetUnit       `gorm:"column:citation_offset_unit;size:32;not null;default:codepoint"`

	SearchMode                assistants.SearchMode   `gorm:"column:search_mode;size:32;not null;default:Hybrid"`
	TextWeight                float64                 `gorm:"column:text_weight;not null;default:0.3"`
	RetrievalTopK             int                     `gorm:"column:retrieval_top_k;not null;default:10"`
	RetrievalScoreThreshold   float64                 `gorm:"column:retrieval_score_threshold;not null;default:0.3"`
	ContextTopK               *int                    `gorm:"column:context_top_k"`
	MaxSourcesPerDocument     assistants.Ceiling      `gorm:"column:max_sources_per_document;not null;default:0"`
	Synonyms                  []string                `gorm:"column:synonyms;serializer:json;not null;default:'[]'"`
	SynonymPacks              []string                `gorm:"column:synonym_packs;serializer:json;not null;default:'[\"business\",\"legal\",\"hr\"]'"`
	RetrievalIncludeNeighbors int                     `gorm:"column:retrieval_include_neighbors;not null;default:0"`
	RetrievalLabelFilter      *assistants.LabelFilter `gorm:"column:retrieval_label_filter;serializer:json"`
	RetrievalTagFilter        *assistants.TagFilter   `gorm:"column:retrieval_tag_filter;serializer:json"`
	Collections               []string                `gorm:"column:collections;serializer:json;not null;default:'[]'"`
	OnRetrievalError          assistants.ErrorPolicy  `gorm:"column:on_retrieval_error;size:32;not null;default:degrade"`
	ExposeRetrievedChunks     bool                    `gorm:"column:expose_retrieved_chunks;not null;default:false"`
	EnableRetrievalGate       bool                    `gorm:"column:enable_retrieval_gate;not null;default:false"`
	EnableQueryRewrite        bool                    `gorm:"column:enable_query_rewrite;not null;default:false"`
	QueryRewritePrompt        *string                 `gorm:"column:query_rewrite_prompt"`
	EnableReranking           bool                    `gorm:"column:enable_reranking;not null;default:false"`
	RerankerTopK              int                     `gorm:"column:reranker_top_k;not null;default:5"`
	RerankerScoreThreshold    float64                 `gorm:"column:reranker_score_threshold;not null;default:3"`
	RerankPrompt              *string                 `gorm:"column:rerank_prompt"`

	SearchTemperature    float64 `gorm:"column:search_temperature;not null;default:0.3"`
	SearchMaxTokens      int     `gorm:"column:search_max_tokens;not null;default:500"`
	SearchTopK           int     `gorm:"column:search_top_k;not null;default:5"`
	SearchTimeoutSeconds int     `gorm:"column:search_timeout_seconds;not null;default:30"`

	EnableCompaction     bool `gorm:"column:enable_compaction;not null;default:false"`
	StoreHistory         bool `gorm:"column:store_history;not null;default:false"`
	HistoryRetentionDays int  `gorm:"column:history_retention_days;not null;default:7"`
	PublicAccess         bool `gorm:"column:public_access;not null;default:false"`

	RequestsPerMinute *int `gorm:"column:requests_per_minute"`
	TokensPerMinute   *int `gorm:"column:tokens_per_minute"`
	ConcurrentStreams *int `gorm:"column:concurrent_streams"`
	SearchesPerMinute *int `gorm:"column:searches_per_minute"`
	UploadsPerMinute  *int `gorm:"column:uploads_per_minute"`
	RequestsPerMonth  *int `gorm:"column:requests_per_month"`
	TokensPerMonth    *int `gorm:"column:tokens_per_month"`

	Title           *string `gorm:"column:title;size:255"`
	LogoURL         *string `gorm:"column:logo_url"`
	EvalJudgePrompt *string `gorm:"column:eval_judge_prompt"`
}

// settingsRow is a row of assistant_settings.
type settingsRow struct {
	AssistantID assistants.AssistantID `gorm:"primaryKey;size:64;not null"`
	TenantID    assistants.TenantID    `gorm:"size:64;not null"`
	Columns     settingsColumns        `gorm:"embedded"`
}

// TableName implements GORM's Tabler.
func (settingsRow) TableName() string { return "assistant_settings" }

func newSettingsRow(a assistants.Assistant) settingsRow {
	s := a.Settings
	if s.Collections == nil {
		s.Collections = []string{}
	}
	s.Synonyms, s.SynonymPacks = orEmpty(s.Synonyms), orEmpty(s.SynonymPacks)
	if s.UpstreamFallbacks == nil {
		s.UpstreamFallbacks = []assistants.Fallback{}
	}
	return settingsRow{AssistantID: a.ID, TenantID: a.TenantID, Columns: settingsColumns(s)}
}
