-- The schema of Footnote on SQL Server.
--
-- Texts have a binary collation, so that they are compared by their code, whatever the
-- server's language; but a space at the end of a text counts for nothing here. Lengths
-- are in UTF-16: a character may be two of them. Times have microseconds.
-- Every table names the tenant of its rows. Rows that belong together carry the
-- same ids; there are no foreign keys, because the program removes what hangs on
-- a row in the same transaction. Lists and objects are stored as JSON.

-- +goose Up

-- An assistant: the name that requests ask for, and the collection that holds its own documents.
CREATE TABLE assistants (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    slug nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- the name in requests, unique within the tenant
    name nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    collection_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    revision bigint NOT NULL,              -- grows with every change, which locks the row
    created_at datetimeoffset(6) NOT NULL,
    updated_at datetimeoffset(6) NOT NULL,
    PRIMARY KEY (id)
);
CREATE UNIQUE INDEX assistants_slug_key ON assistants (tenant_id, slug);
CREATE UNIQUE INDEX assistants_collection_key ON assistants (collection_id);
CREATE INDEX assistants_created_idx ON assistants (tenant_id, created_at, id);

-- The settings of an assistant, one column for each setting of the API. Null means: not set.
-- The defaults are those of assistants.DefaultSettings.
CREATE TABLE assistant_settings (
    assistant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    system_prompt nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'You are a helpful assistant. Use the provided context to answer questions accurately.',
    upstream nvarchar(510) COLLATE Latin1_General_100_BIN2,
    model nvarchar(510) COLLATE Latin1_General_100_BIN2,
    allow_model_override bit NOT NULL DEFAULT 1,
    temperature float,
    top_p float,
    max_tokens bigint,
    context_window bigint,
    enable_rag bit NOT NULL DEFAULT 0,
    enable_citations bit NOT NULL DEFAULT 0,
    citation_link_mode nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'None',
    citation_link_ttl_seconds bigint NOT NULL DEFAULT 604800,
    citation_format nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'native',
    citation_numbering nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'chunk',
    citation_renumber bit NOT NULL DEFAULT 0,
    marker_mode nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'keep',
    history_markers nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'strip',
    orphan_policy nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'drop',
    no_marker_policy nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'empty',
    unknown_document_policy nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'label',
    support_check nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'lexical',
    confidence_similarity nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'proxy',
    citation_prompt nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'default',
    citation_offset_unit nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'codepoint',
    search_mode nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'Hybrid',
    text_weight float NOT NULL DEFAULT 0.3,
    retrieval_top_k bigint NOT NULL DEFAULT 10,
    retrieval_score_threshold float NOT NULL DEFAULT 0.3,
    context_top_k bigint,
    retrieval_include_neighbors bigint NOT NULL DEFAULT 0,
    retrieval_label_filter nvarchar(max) COLLATE Latin1_General_100_BIN2,
    retrieval_tag_filter nvarchar(max) COLLATE Latin1_General_100_BIN2,
    collections nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT '[]',
    on_retrieval_error nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'degrade',
    expose_retrieved_chunks bit NOT NULL DEFAULT 0,
    enable_retrieval_gate bit NOT NULL DEFAULT 0,
    enable_query_rewrite bit NOT NULL DEFAULT 0,
    query_rewrite_prompt nvarchar(max) COLLATE Latin1_General_100_BIN2,
    enable_reranking bit NOT NULL DEFAULT 0,
    reranker_top_k bigint NOT NULL DEFAULT 5,
    reranker_score_threshold float NOT NULL DEFAULT 3,
    rerank_prompt nvarchar(max) COLLATE Latin1_General_100_BIN2,
    enable_compaction bit NOT NULL DEFAULT 0,
    store_history bit NOT NULL DEFAULT 0,
    history_retention_days bigint NOT NULL DEFAULT 7,
    public_access bit NOT NULL DEFAULT 0,
    title nvarchar(510) COLLATE Latin1_General_100_BIN2,
    logo_url nvarchar(max) COLLATE Latin1_General_100_BIN2,
    eval_judge_prompt nvarchar(max) COLLATE Latin1_General_100_BIN2,
    PRIMARY KEY (assistant_id)
);

-- A collection of documents that are searched together. Revision counts the changes of its set of
-- documents; updating it locks the collection.
CREATE TABLE collections (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    name nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    revision bigint NOT NULL,
    created_at datetimeoffset(6) NOT NULL,
    space nvarchar(max) COLLATE Latin1_General_100_BIN2,               -- JSON: the vector space of its documents; null while nothing is embedded
    next_space nvarchar(max) COLLATE Latin1_General_100_BIN2,          -- JSON: the space that a re-embedding goes to; null when none is under way
    calibration nvarchar(max) COLLATE Latin1_General_100_BIN2,         -- JSON: the cosines of space that count as 0 and as 1; null: not worked out
    calibrated bigint NOT NULL DEFAULT 0, -- number of passages that calibration was worked out from
    PRIMARY KEY (id)
);

-- A document with its state. Its bytes, texts and chunks belong to its versions.
CREATE TABLE documents (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    collection_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    name nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    source_path nvarchar(max) COLLATE Latin1_General_100_BIN2,                   -- the path it was ingested from; null for uploads
    source_key nvarchar(64) COLLATE Latin1_General_100_BIN2,             -- SHA-256 of source_path: paths are too long for an index
    status nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL,        -- pending, extracting, …: see assistants.Status
    cause_code nvarchar(64) COLLATE Latin1_General_100_BIN2,             -- why it failed, and in words below
    cause_message nvarchar(max) COLLATE Latin1_General_100_BIN2,
    pages_done bigint NOT NULL,
    pages_total bigint NOT NULL,
    chunks_done bigint NOT NULL,
    labels nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,               -- JSON list of texts
    tags nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,                 -- JSON object of texts
    live bigint NOT NULL,                           -- the version that answers; 0: none yet
    latest bigint NOT NULL,                         -- the newest version
    latest_sha256 nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- of the newest version, to recognise the same file
    revision bigint NOT NULL,                       -- grows with every change, which locks the row
    created_at datetimeoffset(6) NOT NULL,
    updated_at datetimeoffset(6) NOT NULL,
    ready_at datetimeoffset(6),
    parent_id nvarchar(64) COLLATE Latin1_General_100_BIN2,              -- the mail that it was attached to
    chunks_total bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (id)
);
-- A collection holds the same file once.
CREATE UNIQUE INDEX documents_content_key ON documents (collection_id, latest_sha256);
-- A collection holds one document from a path. An index would take two nulls for the same.
CREATE UNIQUE INDEX documents_source_key ON documents (collection_id, source_key) WHERE source_key IS NOT NULL;
CREATE INDEX documents_created_idx ON documents (collection_id, created_at, id);
-- Counts of documents by state.
CREATE INDEX documents_status_idx ON documents (tenant_id, status);
-- The attachments of a mail.
CREATE INDEX documents_parent_idx ON documents (parent_id);

-- A version of a document: one file. It is never changed into another file.
CREATE TABLE document_versions (
    document_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    version bigint NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    file_name nvarchar(2048) COLLATE Latin1_General_100_BIN2 NOT NULL,
    blob_key nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL, -- where the file is in the blob store
    sha256 nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    bytes bigint NOT NULL,
    content_type nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    pages bigint NOT NULL,
    chunks bigint NOT NULL,
    created_at datetimeoffset(6) NOT NULL,
    ocr bit NOT NULL DEFAULT 0,         -- its text was recognised from pictures of its pages
    space nvarchar(max) COLLATE Latin1_General_100_BIN2,                     -- JSON: the space in which every chunk has a vector; null: not all have one
    next_space nvarchar(max) COLLATE Latin1_General_100_BIN2,                -- JSON: the same, for the collection's next space
    PRIMARY KEY (document_id, version)
);
-- Blobs are deleted when no version names them.
CREATE INDEX document_versions_blob_idx ON document_versions (blob_key);

-- The text that was read from a version.
CREATE TABLE document_texts (
    document_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    version bigint NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    body nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
    runes bigint NOT NULL,           -- length of body in code points
    pages nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON list: where each page begins
    PRIMARY KEY (document_id, version)
);

-- A chunk of a version: the passage that is searched and cited.
CREATE TABLE chunks (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    document_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    version bigint NOT NULL,
    chunk_index bigint NOT NULL,            -- place in the version, from 0
    body nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tokens bigint NOT NULL,
    page bigint NOT NULL,
    page_end bigint NOT NULL,
    heading_path nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON list of headings above the chunk
    char_start bigint NOT NULL,             -- in code points of the version's text
    char_end bigint NOT NULL,
    page_starts nvarchar(max) COLLATE Latin1_General_100_BIN2,           -- JSON: where pages begin within the chunk; null: none does, or not known
    table_header nvarchar(max) COLLATE Latin1_General_100_BIN2,          -- header row of the table that the chunk continues
    PRIMARY KEY (id)
);
-- The chunks of a version in order.
CREATE UNIQUE INDEX chunks_place_key ON chunks (document_id, version, chunk_index);

-- The states that a document went through. Revision is the document's after the change.
CREATE TABLE document_log (
    document_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    revision bigint NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    version bigint NOT NULL,
    status nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL,
    cause_code nvarchar(64) COLLATE Latin1_General_100_BIN2,
    cause_message nvarchar(max) COLLATE Latin1_General_100_BIN2,
    logged_at datetimeoffset(6) NOT NULL,
    PRIMARY KEY (document_id, revision)
);

-- An API key. Only a hash of the key is stored; the prefix is what it is found by.
CREATE TABLE api_keys (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    name nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    prefix nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    key_hash nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- SHA-256 of the whole key
    scopes nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,          -- JSON list
    assistants nvarchar(max) COLLATE Latin1_General_100_BIN2,               -- JSON list of ids; null: all of the tenant
    default_assistant nvarchar(64) COLLATE Latin1_General_100_BIN2,
    created_at datetimeoffset(6) NOT NULL,
    expires_at datetimeoffset(6),
    revoked_at datetimeoffset(6),
    PRIMARY KEY (id)
);
CREATE UNIQUE INDEX api_keys_prefix_key ON api_keys (prefix);
CREATE INDEX api_keys_created_idx ON api_keys (tenant_id, created_at, id);

-- A job that survives the process. A worker claims it by raising the revision and setting a lease.
CREATE TABLE jobs (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    kind nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL, -- ingest, embed or purge: see assistants.JobKind
    document_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    version bigint NOT NULL,               -- 0: the whole document
    blob_keys nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,   -- JSON list: what a purge deletes
    attempt bigint NOT NULL,               -- number of claims
    not_before datetimeoffset(6) NOT NULL,
    lease_until datetimeoffset(6),            -- null: not claimed
    revision bigint NOT NULL,
    created_at datetimeoffset(6) NOT NULL,
    collection_id nvarchar(64) COLLATE Latin1_General_100_BIN2, -- null in jobs of older databases
    priority bigint NOT NULL DEFAULT 0,    -- lower ones are claimed first
    turn bigint NOT NULL DEFAULT 0,        -- orders the jobs of one priority so that collections take turns
    PRIMARY KEY (id)
);
CREATE INDEX jobs_created_idx ON jobs (created_at, id);
CREATE INDEX jobs_document_idx ON jobs (document_id);
-- The order in which jobs are claimed.
CREATE INDEX jobs_turn_idx ON jobs (priority, turn, id);
-- The last turn of a collection.
CREATE INDEX jobs_lane_idx ON jobs (collection_id, kind, turn);

-- Facts about the installation, such as whether its first admin key was made.
CREATE TABLE meta (
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    name nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    content nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
    PRIMARY KEY (tenant_id, name)
);

-- A request that its sender named with a key, so that sending it again repeats the answer.
CREATE TABLE idempotency_keys (
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    key_hash nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,    -- SHA-256 of the sender's key
    fingerprint nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- hash of what was asked for
    resources nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,          -- JSON list of ids that the request may have made
    attempt bigint NOT NULL,
    status bigint NOT NULL,                       -- HTTP status of the answer; 0: not answered yet
    body nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
    lease_until datetimeoffset(6) NOT NULL,
    revision bigint NOT NULL,
    created_at datetimeoffset(6) NOT NULL,
    expires_at datetimeoffset(6) NOT NULL,
    PRIMARY KEY (tenant_id, key_hash)
);
-- Expired requests are removed.
CREATE INDEX idempotency_keys_expires_idx ON idempotency_keys (expires_at);

-- A model server that was added through the API.
CREATE TABLE upstreams (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    name nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    base_url nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
    api_key nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- encrypted
    default_model nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    headers nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON object; the values are encrypted
    revision bigint NOT NULL,          -- grows with every change, which locks the row
    created_at datetimeoffset(6) NOT NULL,
    updated_at datetimeoffset(6) NOT NULL,
    PRIMARY KEY (id)
);
CREATE UNIQUE INDEX upstreams_name_key ON upstreams (tenant_id, name);
CREATE INDEX upstreams_created_idx ON upstreams (tenant_id, created_at, id);
