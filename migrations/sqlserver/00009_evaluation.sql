-- Gold questions, and the runs that put them to their assistant.

-- +goose Up

CREATE TABLE eval_questions (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    assistant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    gold_id nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL, -- what the client calls it
    body nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON: see evaluation.Question
    created_at datetimeoffset(6) NOT NULL,
    updated_at datetimeoffset(6) NOT NULL,
    PRIMARY KEY (id)
);
CREATE UNIQUE INDEX eval_questions_gold_key ON eval_questions (assistant_id, gold_id);
CREATE INDEX eval_questions_created_idx ON eval_questions (tenant_id, assistant_id, created_at, id);

CREATE TABLE eval_runs (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    assistant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    name nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    settings nvarchar(max) COLLATE Latin1_General_100_BIN2, -- JSON: those that were tried; null: none
    top_k bigint NOT NULL,
    answers bit NOT NULL, -- whether the model was asked, too
    status nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL, -- running, completed, …: see runs.Status
    total bigint NOT NULL,
    done bigint NOT NULL,
    created_at datetimeoffset(6) NOT NULL,
    ended_at datetimeoffset(6),
    summary nvarchar(max) COLLATE Latin1_General_100_BIN2, -- JSON: see evaluation.Summary; null: it runs
    PRIMARY KEY (id)
);
CREATE INDEX eval_runs_created_idx ON eval_runs (tenant_id, assistant_id, created_at, id);
-- A start of the server ends what ran before.
CREATE INDEX eval_runs_status_idx ON eval_runs (status);

CREATE TABLE eval_outcomes (
    run_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    place bigint NOT NULL, -- of the question in the run, from 0
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    body nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON: see evaluation.Outcome
    PRIMARY KEY (run_id, place)
);
