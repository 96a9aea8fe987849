-- The schema of Footnote on SQLite.
--
-- Times are texts in UTC with microseconds, booleans are 0 and 1.
-- Every table names the tenant of its rows. Rows that belong together carry the
-- same ids; there are no foreign keys, because the program removes what hangs on
-- a row in the same transaction. Lists and objects are stored as JSON.

-- +goose Up

-- An assistant: the name that requests ask for, and the collection that holds its own documents.
CREATE TABLE assistants (
    id text NOT NULL,
    tenant_id text NOT NULL,
    slug text NOT NULL,        -- the name in requests, unique within the tenant
    name text NOT NULL,
    collection_id text NOT NULL,
    revision integer NOT NULL, -- grows with every change, which locks the row
    created_at datetime NOT NULL,
    updated_at datetime NOT NULL,
    PRIMARY KEY (id)
);
CREATE UNIQUE INDEX assistants_slug_key ON assistants (tenant_id, slug);
CREATE UNIQUE INDEX assistants_collection_key ON assistants (collection_id);
CREATE INDEX assistants_created_idx ON assistants (tenant_id, created_at, id);

-- The settings of an assistant, one column for each setting of the API. Null means: not set.
-- The defaults are those of assistants.DefaultSettings.
CREATE TABLE assistant_settings (
    assistant_id text NOT NULL,
    tenant_id text NOT NULL,
    system_prompt text NOT NULL DEFAULT 'You are a helpful assistant. Use the provided context to answer questions accurately.',
    upstream text,
    model text,
    allow_model_override numeric NOT NULL DEFAULT true,
    temperature real,
    top_p real,
    max_tokens integer,
    context_window integer,
    enable_rag numeric NOT NULL DEFAULT false,
    enable_citations numeric NOT NULL DEFAULT false,
    citation_link_mode text NOT NULL DEFAULT 'None',
    citation_link_ttl_seconds integer NOT NULL DEFAULT 604800,
    citation_format text NOT NULL DEFAULT 'native',
    citation_numbering text NOT NULL DEFAULT 'chunk',
    citation_renumber numeric NOT NULL DEFAULT false,
    marker_mode text NOT NULL DEFAULT 'keep',
    history_markers text NOT NULL DEFAULT 'strip',
    orphan_policy text NOT NULL DEFAULT 'drop',
    no_marker_policy text NOT NULL DEFAULT 'empty',
    unknown_document_policy text NOT NULL DEFAULT 'label',
    support_check text NOT NULL DEFAULT 'lexical',
    confidence_similarity text NOT NULL DEFAULT 'proxy',
    citation_prompt text NOT NULL DEFAULT 'default',
    citation_offset_unit text NOT NULL DEFAULT 'codepoint',
    search_mode text NOT NULL DEFAULT 'Hybrid',
    text_weight real NOT NULL DEFAULT 0.3,
    retrieval_top_k integer NOT NULL DEFAULT 10,
    retrieval_score_threshold real NOT NULL DEFAULT 0.3,
    context_top_k integer,
    retrieval_include_neighbors integer NOT NULL DEFAULT 0,
    retrieval_label_filter text,
    retrieval_tag_filter text,
    collections text NOT NULL DEFAULT '[]',
    on_retrieval_error text NOT NULL DEFAULT 'degrade',
    expose_retrieved_chunks numeric NOT NULL DEFAULT false,
    enable_retrieval_gate numeric NOT NULL DEFAULT false,
    enable_query_rewrite numeric NOT NULL DEFAULT false,
    query_rewrite_prompt text,
    enable_reranking numeric NOT NULL DEFAULT false,
    reranker_top_k integer NOT NULL DEFAULT 5,
    reranker_score_threshold real NOT NULL DEFAULT 3,
    rerank_prompt text,
    enable_compaction numeric NOT NULL DEFAULT false,
    store_history numeric NOT NULL DEFAULT false,
    history_retention_days integer NOT NULL DEFAULT 7,
    public_access numeric NOT NULL DEFAULT false,
    title text,
    logo_url text,
    eval_judge_prompt text,
    PRIMARY KEY (assistant_id)
);

-- A collection of documents that are searched together. Revision counts the changes of its set of
-- documents; updating it locks the collection.
CREATE TABLE collections (
    id text NOT NULL,
    tenant_id text NOT NULL,
    name text NOT NULL,
    revision integer NOT NULL,
    created_at datetime NOT NULL,
    space text,                            -- JSON: the vector space of its documents; null while nothing is embedded
    next_space text,                       -- JSON: the space that a re-embedding goes to; null when none is under way
    calibration text,                      -- JSON: the cosines of space that count as 0 and as 1; null: not worked out
    calibrated integer NOT NULL DEFAULT 0, -- number of passages that calibration was worked out from
    PRIMARY KEY (id)
);

-- A document with its state. Its bytes, texts and chunks belong to its versions.
CREATE TABLE documents (
    id text NOT NULL,
    tenant_id text NOT NULL,
    collection_id text NOT NULL,
    name text NOT NULL,
    source_path text,            -- the path it was ingested from; null for uploads
    source_key text,             -- SHA-256 of source_path: paths are too long for an index
    status text NOT NULL,        -- pending, extracting, …: see assistants.Status
    cause_code text,             -- why it failed, and in words below
    cause_message text,
    pages_done integer NOT NULL,
    pages_total integer NOT NULL,
    chunks_done integer NOT NULL,
    labels text NOT NULL,        -- JSON list of texts
    tags text NOT NULL,          -- JSON object of texts
    live integer NOT NULL,       -- the version that answers; 0: none yet
    latest integer NOT NULL,     -- the newest version
    latest_sha256 text NOT NULL, -- of the newest version, to recognise the same file
    revision integer NOT NULL,   -- grows with every change, which locks the row
    created_at datetime NOT NULL,
    updated_at datetime NOT NULL,
    ready_at datetime,
    parent_id text,              -- the mail that it was attached to
    chunks_total integer NOT NULL DEFAULT 0,
    PRIMARY KEY (id)
);
-- A collection holds the same file once.
CREATE UNIQUE INDEX documents_content_key ON documents (collection_id, latest_sha256);
-- A collection holds one document from a path.
CREATE UNIQUE INDEX documents_source_key ON documents (collection_id, source_key);
CREATE INDEX documents_created_idx ON documents (collection_id, created_at, id);
-- Counts of documents by state.
CREATE INDEX documents_status_idx ON documents (tenant_id, status);
-- The attachments of a mail.
CREATE INDEX documents_parent_idx ON documents (parent_id);

-- A version of a document: one file. It is never changed into another file.
CREATE TABLE document_versions (
    document_id text NOT NULL,
    version integer NOT NULL,
    tenant_id text NOT NULL,
    file_name text NOT NULL,
    blob_key text NOT NULL,             -- where the file is in the blob store
    sha256 text NOT NULL,
    bytes integer NOT NULL,
    content_type text NOT NULL,
    pages integer NOT NULL,
    chunks integer NOT NULL,
    created_at datetime NOT NULL,
    ocr numeric NOT NULL DEFAULT false, -- its text was recognised from pictures of its pages
    space text,                         -- JSON: the space in which every chunk has a vector; null: not all have one
    next_space text,                    -- JSON: the same, for the collection's next space
    PRIMARY KEY (document_id, version)
);
-- Blobs are deleted when no version names them.
CREATE INDEX document_versions_blob_idx ON document_versions (blob_key);

-- The text that was read from a version.
CREATE TABLE document_texts (
    document_id text NOT NULL,
    version integer NOT NULL,
    tenant_id text NOT NULL,
    body text NOT NULL,
    runes integer NOT NULL, -- length of body in code points
    pages text NOT NULL,    -- JSON list: where each page begins
    PRIMARY KEY (document_id, version)
);

-- A chunk of a version: the passage that is searched and cited.
CREATE TABLE chunks (
    id text NOT NULL,
    tenant_id text NOT NULL,
    document_id text NOT NULL,
    version integer NOT NULL,
    chunk_index integer NOT NULL, -- place in the version, from 0
    body text NOT NULL,
    tokens integer NOT NULL,
    page integer NOT NULL,
    page_end integer NOT NULL,
    heading_path text NOT NULL,   -- JSON list of headings above the chunk
    char_start integer NOT NULL,  -- in code points of the version's text
    char_end integer NOT NULL,
    page_starts text,             -- JSON: where pages begin within the chunk; null: none does, or not known
    table_header text,            -- header row of the table that the chunk continues
    PRIMARY KEY (id)
);
-- The chunks of a version in order.
CREATE UNIQUE INDEX chunks_place_key ON chunks (document_id, version, chunk_index);

-- The states that a document went through. Revision is the document's after the change.
CREATE TABLE document_log (
    document_id text NOT NULL,
    revision integer NOT NULL,
    tenant_id text NOT NULL,
    version integer NOT NULL,
    status text NOT NULL,
    cause_code text,
    cause_message text,
    logged_at datetime NOT NULL,
    PRIMARY KEY (document_id, revision)
);

-- An API key. Only a hash of the key is stored; the prefix is what it is found by.
CREATE TABLE api_keys (
    id text NOT NULL,
    tenant_id text NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    key_hash text NOT NULL, -- SHA-256 of the whole key
    scopes text NOT NULL,   -- JSON list
    assistants text,        -- JSON list of ids; null: all of the tenant
    default_assistant text,
    created_at datetime NOT NULL,
    expires_at datetime,
    revoked_at datetime,
    PRIMARY KEY (id)
);
CREATE UNIQUE INDEX api_keys_prefix_key ON api_keys (prefix);
CREATE INDEX api_keys_created_idx ON api_keys (tenant_id, created_at, id);

-- A job that survives the process. A worker claims it by raising the revision and setting a lease.
CREATE TABLE jobs (
    id text NOT NULL,
    tenant_id text NOT NULL,
    kind text NOT NULL,                  -- ingest, embed or purge: see assistants.JobKind
    document_id text NOT NULL,
    version integer NOT NULL,            -- 0: the whole document
    blob_keys text NOT NULL,             -- JSON list: what a purge deletes
    attempt integer NOT NULL,            -- number of claims
    not_before datetime NOT NULL,
    lease_until datetime,                -- null: not claimed
    revision integer NOT NULL,
    created_at datetime NOT NULL,
    collection_id text,                  -- null in jobs of older databases
    priority integer NOT NULL DEFAULT 0, -- lower ones are claimed first
    turn integer NOT NULL DEFAULT 0,     -- orders the jobs of one priority so that collections take turns
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
    tenant_id text NOT NULL,
    name text NOT NULL,
    content text NOT NULL,
    PRIMARY KEY (tenant_id, name)
);

-- A request that its sender named with a key, so that sending it again repeats the answer.
CREATE TABLE idempotency_keys (
    tenant_id text NOT NULL,
    key_hash text NOT NULL,    -- SHA-256 of the sender's key
    fingerprint text NOT NULL, -- hash of what was asked for
    resources text NOT NULL,   -- JSON list of ids that the request may have made
    attempt integer NOT NULL,
    status integer NOT NULL,   -- HTTP status of the answer; 0: not answered yet
    body text NOT NULL,
    lease_until datetime NOT NULL,
    revision integer NOT NULL,
    created_at datetime NOT NULL,
    expires_at datetime NOT NULL,
    PRIMARY KEY (tenant_id, key_hash)
);
-- Expired requests are removed.
CREATE INDEX idempotency_keys_expires_idx ON idempotency_keys (expires_at);

-- A model server that was added through the API.
CREATE TABLE upstreams (
    id text NOT NULL,
    tenant_id text NOT NULL,
    name text NOT NULL,
    base_url text NOT NULL,
    api_key text NOT NULL,     -- encrypted
    default_model text NOT NULL,
    headers text NOT NULL,     -- JSON object; the values are encrypted
    revision integer NOT NULL, -- grows with every change, which locks the row
    created_at datetime NOT NULL,
    updated_at datetime NOT NULL,
    PRIMARY KEY (id)
);
CREATE UNIQUE INDEX upstreams_name_key ON upstreams (tenant_id, name);
CREATE INDEX upstreams_created_idx ON upstreams (tenant_id, created_at, id);
