-- Questions and answers of assistants that store them, and the conversations
-- that they belong to.

-- +goose Up

CREATE TABLE history_answers (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    assistant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    thread_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    created_at datetimeoffset(6) NOT NULL,
    key_id nvarchar(64) COLLATE Latin1_General_100_BIN2, -- null: the request had none
    user_name nvarchar(510) COLLATE Latin1_General_100_BIN2, -- as the request calls its end user
    request_id nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    completion_id nvarchar(510) COLLATE Latin1_General_100_BIN2, -- that the client got
    model nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    question nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
    answer nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
    truncated bit NOT NULL, -- question or answer was too long
    finish_reason nvarchar(510) COLLATE Latin1_General_100_BIN2,
    outcome nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL, -- complete, interrupted, failed
    code nvarchar(510) COLLATE Latin1_General_100_BIN2, -- of the error that ended the answer
    citation_status nvarchar(32) COLLATE Latin1_General_100_BIN2,
    citations nvarchar(max) COLLATE Latin1_General_100_BIN2, -- JSON: the citations object without links
    cited nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON: numbers of the cited sources
    prompt_tokens bigint,
    completion_tokens bigint,
    first_byte_micros bigint NOT NULL,
    took_micros bigint NOT NULL,
    rating nvarchar(32) COLLATE Latin1_General_100_BIN2, -- up, down; null: none
    comment nvarchar(max) COLLATE Latin1_General_100_BIN2,
    rated_by nvarchar(64) COLLATE Latin1_General_100_BIN2, -- id of a key
    rated_at datetimeoffset(6),
    verifications nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON: see assistants.Verification
    PRIMARY KEY (id)
);
CREATE INDEX history_answers_created_idx ON history_answers (tenant_id, assistant_id, created_at, id);
CREATE INDEX history_answers_thread_idx ON history_answers (tenant_id, assistant_id, thread_id, created_at, id);
CREATE INDEX history_answers_rating_idx ON history_answers (tenant_id, assistant_id, rating, created_at, id);
CREATE INDEX history_answers_user_idx ON history_answers (tenant_id, assistant_id, user_name, created_at, id);
CREATE INDEX history_answers_completion_idx ON history_answers (tenant_id, assistant_id, completion_id, created_at, id);

CREATE TABLE history_threads (
    assistant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- the client's own id, or ours
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    title nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL, -- beginning of the first question
    user_name nvarchar(510) COLLATE Latin1_General_100_BIN2,
    answers bigint NOT NULL,
    created_at datetimeoffset(6) NOT NULL, -- of the first answer
    updated_at datetimeoffset(6) NOT NULL, -- of the last answer
    PRIMARY KEY (assistant_id, id)
);
CREATE INDEX history_threads_updated_idx ON history_threads (tenant_id, assistant_id, updated_at, id);
