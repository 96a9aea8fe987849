-- Questions and answers of assistants that store them, and the conversations
-- that they belong to.

-- +goose Up

CREATE TABLE history_answers (
    id text NOT NULL,
    tenant_id text NOT NULL,
    assistant_id text NOT NULL,
    thread_id text NOT NULL,
    created_at datetime NOT NULL,
    key_id text, -- null: the request had none
    user_name text, -- as the request calls its end user
    request_id text NOT NULL,
    completion_id text, -- that the client got
    model text NOT NULL,
    question text NOT NULL,
    answer text NOT NULL,
    truncated numeric NOT NULL, -- question or answer was too long
    finish_reason text,
    outcome text NOT NULL, -- complete, interrupted, failed
    code text, -- of the error that ended the answer
    citation_status text,
    citations text, -- JSON: the citations object without links
    cited text NOT NULL, -- JSON: numbers of the cited sources
    prompt_tokens integer,
    completion_tokens integer,
    first_byte_micros integer NOT NULL,
    took_micros integer NOT NULL,
    rating text, -- up, down; null: none
    comment text,
    rated_by text, -- id of a key
    rated_at datetime,
    verifications text NOT NULL, -- JSON: see assistants.Verification
    PRIMARY KEY (id)
);
CREATE INDEX history_answers_created_idx ON history_answers (tenant_id, assistant_id, created_at, id);
CREATE INDEX history_answers_thread_idx ON history_answers (tenant_id, assistant_id, thread_id, created_at, id);
CREATE INDEX history_answers_rating_idx ON history_answers (tenant_id, assistant_id, rating, created_at, id);
CREATE INDEX history_answers_user_idx ON history_answers (tenant_id, assistant_id, user_name, created_at, id);
CREATE INDEX history_answers_completion_idx ON history_answers (tenant_id, assistant_id, completion_id, created_at, id);

CREATE TABLE history_threads (
    assistant_id text NOT NULL,
    id text NOT NULL, -- the client's own id, or ours
    tenant_id text NOT NULL,
    title text NOT NULL, -- beginning of the first question
    user_name text,
    answers integer NOT NULL,
    created_at datetime NOT NULL, -- of the first answer
    updated_at datetime NOT NULL, -- of the last answer
    PRIMARY KEY (assistant_id, id)
);
CREATE INDEX history_threads_updated_idx ON history_threads (tenant_id, assistant_id, updated_at, id);
