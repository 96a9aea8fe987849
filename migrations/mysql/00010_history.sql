-- Questions and answers of assistants that store them, and the conversations
-- that they belong to.

-- +goose NO TRANSACTION
-- +goose Up

CREATE TABLE history_answers (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    assistant_id varchar(64) NOT NULL,
    thread_id varchar(64) NOT NULL,
    created_at datetime(6) NOT NULL,
    key_id varchar(64), -- null: the request had none
    user_name varchar(255), -- as the request calls its end user
    request_id varchar(255) NOT NULL,
    completion_id varchar(255), -- that the client got
    model varchar(255) NOT NULL,
    question longtext NOT NULL,
    answer longtext NOT NULL,
    truncated boolean NOT NULL, -- question or answer was too long
    finish_reason varchar(255),
    outcome varchar(32) NOT NULL, -- complete, interrupted, failed
    code varchar(255), -- of the error that ended the answer
    citation_status varchar(32),
    citations longtext, -- JSON: the citations object without links
    cited longtext NOT NULL, -- JSON: numbers of the cited sources
    prompt_tokens bigint,
    completion_tokens bigint,
    first_byte_micros bigint NOT NULL,
    took_micros bigint NOT NULL,
    rating varchar(32), -- up, down; null: none
    comment longtext,
    rated_by varchar(64), -- id of a key
    rated_at datetime(6),
    verifications longtext NOT NULL, -- JSON: see assistants.Verification
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
CREATE INDEX history_answers_created_idx ON history_answers (tenant_id, assistant_id, created_at, id);
CREATE INDEX history_answers_thread_idx ON history_answers (tenant_id, assistant_id, thread_id, created_at, id);
CREATE INDEX history_answers_rating_idx ON history_answers (tenant_id, assistant_id, rating, created_at, id);
CREATE INDEX history_answers_user_idx ON history_answers (tenant_id, assistant_id, user_name, created_at, id);
CREATE INDEX history_answers_completion_idx ON history_answers (tenant_id, assistant_id, completion_id, created_at, id);

CREATE TABLE history_threads (
    assistant_id varchar(64) NOT NULL,
    id varchar(64) NOT NULL, -- the client's own id, or ours
    tenant_id varchar(64) NOT NULL,
    title varchar(255) NOT NULL, -- beginning of the first question
    user_name varchar(255),
    answers bigint NOT NULL,
    created_at datetime(6) NOT NULL, -- of the first answer
    updated_at datetime(6) NOT NULL, -- of the last answer
    PRIMARY KEY (assistant_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
CREATE INDEX history_threads_updated_idx ON history_threads (tenant_id, assistant_id, updated_at, id);
