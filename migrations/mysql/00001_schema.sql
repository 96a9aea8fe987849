-- The schema of Footnote on MySQL and MariaDB.
--
-- Texts have a binary collation without padding, so that they are compared and ordered by
-- their bytes, as SQLite does. The two servers have other names for it: a comment that
-- begins with M! is for MariaDB only, one with !80017 for MySQL only. Times have
-- microseconds and no zone; every session is in UTC.
--
-- A change of the schema commits at once there. When a migration was killed, the next
-- start runs its file again, and takes statements whose work is done for done.
-- Every table names the tenant of its rows. Rows that belong together carry the
-- same ids; there are no foreign keys, because the program removes what hangs on
-- a row in the same transaction. Lists and objects are stored as JSON.

-- +goose NO TRANSACTION
-- +goose Up

-- An assistant: the name that requests ask for, and the collection that holds its own documents.
CREATE TABLE assistants (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    slug varchar(64) NOT NULL, -- the name in requests, unique within the tenant
    name varchar(255) NOT NULL,
    collection_id varchar(64) NOT NULL,
    revision bigint NOT NULL,              -- grows with every change, which locks the row
    created_at datetime(6) NOT NULL,
    updated_at datetime(6) NOT NULL,
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
CREATE UNIQUE INDEX assistants_slug_key ON assistants (tenant_id, slug);
CREATE UNIQUE INDEX assistants_collection_key ON assistants (collection_id);
CREATE INDEX assistants_created_idx ON assistants (tenant_id, created_at, id);

-- The settings of an assistant, one column for each setting of the API. Null means: not set.
-- The defaults are those of assistants.DefaultSettings.
CREATE TABLE assistant_settings (
    assistant_id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    system_prompt longtext NOT NULL DEFAULT ('You are a helpful assistant. Use the provided context to answer questions accurately.'),
    upstream varchar(255),
    model varchar(255),
    allow_model_override boolean NOT NULL DEFAULT true,
    temperature double,
    top_p double,
    max_tokens bigint,
    context_window bigint,
    enable_rag boolean NOT NULL DEFAULT false,
    enable_citations boolean NOT NULL DEFAULT false,
    citation_link_mode varchar(32) NOT NULL DEFAULT 'None',
    citation_link_ttl_seconds bigint NOT NULL DEFAULT 604800,
    citation_format varchar(32) NOT NULL DEFAULT 'native',
    citation_numbering varchar(32) NOT NULL DEFAULT 'chunk',
    citation_renumber boolean NOT NULL DEFAULT false,
    marker_mode varchar(32) NOT NULL DEFAULT 'keep',
    history_markers varchar(32) NOT NULL DEFAULT 'strip',
    orphan_policy varchar(32) NOT NULL DEFAULT 'drop',
    no_marker_policy varchar(32) NOT NULL DEFAULT 'empty',
    unknown_document_policy varchar(32) NOT NULL DEFAULT 'label',
    support_check varchar(32) NOT NULL DEFAULT 'lexical',
    confidence_similarity varchar(32) NOT NULL DEFAULT 'proxy',
    citation_prompt longtext NOT NULL DEFAULT ('default'),
    citation_offset_unit varchar(32) NOT NULL DEFAULT 'codepoint',
    search_mode varchar(32) NOT NULL DEFAULT 'Hybrid',
    text_weight double NOT NULL DEFAULT 0.3,
    retrieval_top_k bigint NOT NULL DEFAULT 10,
    retrieval_score_threshold double NOT NULL DEFAULT 0.3,
    context_top_k bigint,
    retrieval_include_neighbors bigint NOT NULL DEFAULT 0,
    retrieval_label_filter longtext,
    retrieval_tag_filter longtext,
    collections longtext NOT NULL DEFAULT ('[]'),
    on_retrieval_error varchar(32) NOT NULL DEFAULT 'degrade',
    expose_retrieved_chunks boolean NOT NULL DEFAULT false,
    enable_retrieval_gate boolean NOT NULL DEFAULT false,
    enable_query_rewrite boolean NOT NULL DEFAULT false,
    query_rewrite_prompt longtext,
    enable_reranking boolean NOT NULL DEFAULT false,
    reranker_top_k bigint NOT NULL DEFAULT 5,
    reranker_score_threshold double NOT NULL DEFAULT 3,
    rerank_prompt longtext,
    enable_compaction boolean NOT NULL DEFAULT false,
    store_history boolean NOT NULL DEFAULT false,
    history_retention_days bigint NOT NULL DEFAULT 7,
    public_access boolean NOT NULL DEFAULT false,
    title varchar(255),
    logo_url longtext,
    eval_judge_prompt longtext,
    PRIMARY KEY (assistant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;

-- A collection of documents that are searched together. Revision counts the changes of its set of
-- documents; updating it locks the collection.
CREATE TABLE collections (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    name varchar(255) NOT NULL,
    revision bigint NOT NULL,
    created_at datetime(6) NOT NULL,
    space longtext,               -- JSON: the vector space of its documents; null while nothing is embedded
    next_space longtext,          -- JSON: the space that a re-embedding goes to; null when none is under way
    calibration longtext,         -- JSON: the cosines of space that count as 0 and as 1; null: not worked out
    calibrated bigint NOT NULL DEFAULT 0, -- number of passages that calibration was worked out from
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;

-- A document with its state. Its bytes, texts and chunks belong to its versions.
CREATE TABLE documents (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    collection_id varchar(64) NOT NULL,
    name varchar(255) NOT NULL,
    source_path longtext,                   -- the path it was ingested from; null for uploads
    source_key varchar(64),             -- SHA-256 of source_path: paths are too long for an index
    status varchar(32) NOT NULL,        -- pending, extracting, …: see assistants.Status
    cause_code varchar(64),             -- why it failed, and in words below
    cause_message longtext,
    pages_done bigint NOT NULL,
    pages_total bigint NOT NULL,
    chunks_done bigint NOT NULL,
    labels longtext NOT NULL,               -- JSON list of texts
    tags longtext NOT NULL,                 -- JSON object of texts
    live bigint NOT NULL,                           -- the version that answers; 0: none yet
    latest bigint NOT NULL,                         -- the newest version
    latest_sha256 varchar(64) NOT NULL, -- of the newest version, to recognise the same file
    revision bigint NOT NULL,                       -- grows with every change, which locks the row
    created_at datetime(6) NOT NULL,
    updated_at datetime(6) NOT NULL,
    ready_at datetime(6),
    parent_id varchar(64),              -- the mail that it was attached to
    chunks_total bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
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
    document_id varchar(64) NOT NULL,
    version bigint NOT NULL,
    tenant_id varchar(64) NOT NULL,
    file_name varchar(1024) NOT NULL,
    blob_key varchar(255) NOT NULL, -- where the file is in the blob store
    sha256 varchar(64) NOT NULL,
    bytes bigint NOT NULL,
    content_type varchar(255) NOT NULL,
    pages bigint NOT NULL,
    chunks bigint NOT NULL,
    created_at datetime(6) NOT NULL,
    ocr boolean NOT NULL DEFAULT false,         -- its text was recognised from pictures of its pages
    space longtext,                     -- JSON: the space in which every chunk has a vector; null: not all have one
    next_space longtext,                -- JSON: the same, for the collection's next space
    PRIMARY KEY (document_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
-- Blobs are deleted when no version names them.
CREATE INDEX document_versions_blob_idx ON document_versions (blob_key);

-- The text that was read from a version.
CREATE TABLE document_texts (
    document_id varchar(64) NOT NULL,
    version bigint NOT NULL,
    tenant_id varchar(64) NOT NULL,
    body longtext NOT NULL,
    runes bigint NOT NULL,           -- length of body in code points
    pages longtext NOT NULL, -- JSON list: where each page begins
    PRIMARY KEY (document_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;

-- A chunk of a version: the passage that is searched and cited.
CREATE TABLE chunks (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    document_id varchar(64) NOT NULL,
    version bigint NOT NULL,
    chunk_index bigint NOT NULL,            -- place in the version, from 0
    body longtext NOT NULL,
    tokens bigint NOT NULL,
    page bigint NOT NULL,
    page_end bigint NOT NULL,
    heading_path longtext NOT NULL, -- JSON list of headings above the chunk
    char_start bigint NOT NULL,             -- in code points of the version's text
    char_end bigint NOT NULL,
    page_starts longtext,           -- JSON: where pages begin within the chunk; null: none does, or not known
    table_header longtext,          -- header row of the table that the chunk continues
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
-- The chunks of a version in order.
CREATE UNIQUE INDEX chunks_place_key ON chunks (document_id, version, chunk_index);

-- The states that a document went through. Revision is the document's after the change.
CREATE TABLE document_log (
    document_id varchar(64) NOT NULL,
    revision bigint NOT NULL,
    tenant_id varchar(64) NOT NULL,
    version bigint NOT NULL,
    status varchar(32) NOT NULL,
    cause_code varchar(64),
    cause_message longtext,
    logged_at datetime(6) NOT NULL,
    PRIMARY KEY (document_id, revision)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;

-- An API key. Only a hash of the key is stored; the prefix is what it is found by.
CREATE TABLE api_keys (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    name varchar(255) NOT NULL,
    prefix varchar(64) NOT NULL,
    key_hash varchar(64) NOT NULL, -- SHA-256 of the whole key
    scopes longtext NOT NULL,          -- JSON list
    assistants longtext,               -- JSON list of ids; null: all of the tenant
    default_assistant varchar(64),
    created_at datetime(6) NOT NULL,
    expires_at datetime(6),
    revoked_at datetime(6),
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
CREATE UNIQUE INDEX api_keys_prefix_key ON api_keys (prefix);
CREATE INDEX api_keys_created_idx ON api_keys (tenant_id, created_at, id);

-- A job that survives the process. A worker claims it by raising the revision and setting a lease.
CREATE TABLE jobs (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    kind varchar(32) NOT NULL, -- ingest, embed or purge: see assistants.JobKind
    document_id varchar(64) NOT NULL,
    version bigint NOT NULL,               -- 0: the whole document
    blob_keys longtext NOT NULL,   -- JSON list: what a purge deletes
    attempt bigint NOT NULL,               -- number of claims
    not_before datetime(6) NOT NULL,
    lease_until datetime(6),            -- null: not claimed
    revision bigint NOT NULL,
    created_at datetime(6) NOT NULL,
    collection_id varchar(64), -- null in jobs of older databases
    priority bigint NOT NULL DEFAULT 0,    -- lower ones are claimed first
    turn bigint NOT NULL DEFAULT 0,        -- orders the jobs of one priority so that collections take turns
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
CREATE INDEX jobs_created_idx ON jobs (created_at, id);
CREATE INDEX jobs_document_idx ON jobs (document_id);
-- The order in which jobs are claimed.
CREATE INDEX jobs_turn_idx ON jobs (priority, turn, id);
-- The last turn of a collection.
CREATE INDEX jobs_lane_idx ON jobs (collection_id, kind, turn);

-- Facts about the installation, such as whether its first admin key was made.
CREATE TABLE meta (
    tenant_id varchar(64) NOT NULL,
    name varchar(64) NOT NULL,
    content longtext NOT NULL,
    PRIMARY KEY (tenant_id, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;

-- A request that its sender named with a key, so that sending it again repeats the answer.
CREATE TABLE idempotency_keys (
    tenant_id varchar(64) NOT NULL,
    key_hash varchar(64) NOT NULL,    -- SHA-256 of the sender's key
    fingerprint varchar(64) NOT NULL, -- hash of what was asked for
    resources longtext NOT NULL,          -- JSON list of ids that the request may have made
    attempt bigint NOT NULL,
    status bigint NOT NULL,                       -- HTTP status of the answer; 0: not answered yet
    body longtext NOT NULL,
    lease_until datetime(6) NOT NULL,
    revision bigint NOT NULL,
    created_at datetime(6) NOT NULL,
    expires_at datetime(6) NOT NULL,
    PRIMARY KEY (tenant_id, key_hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
-- Expired requests are removed.
CREATE INDEX idempotency_keys_expires_idx ON idempotency_keys (expires_at);

-- A model server that was added through the API.
CREATE TABLE upstreams (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    name varchar(255) NOT NULL,
    base_url longtext NOT NULL,
    api_key longtext NOT NULL, -- encrypted
    default_model varchar(255) NOT NULL,
    headers longtext NOT NULL, -- JSON object; the values are encrypted
    revision bigint NOT NULL,          -- grows with every change, which locks the row
    created_at datetime(6) NOT NULL,
    updated_at datetime(6) NOT NULL,
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
CREATE UNIQUE INDEX upstreams_name_key ON upstreams (tenant_id, name);
CREATE INDEX upstreams_created_idx ON upstreams (tenant_id, created_at, id);
