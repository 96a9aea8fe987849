-- Gold questions, and the runs that put them to their assistant.

-- +goose Up

CREATE TABLE eval_questions (
    id text NOT NULL,
    tenant_id text NOT NULL,
    assistant_id text NOT NULL,
    gold_id text NOT NULL, -- what the client calls it
    body text NOT NULL, -- JSON: see evaluation.Question
    created_at datetime NOT NULL,
    updated_at datetime NOT NULL,
    PRIMARY KEY (id)
);
CREATE UNIQUE INDEX eval_questions_gold_key ON eval_questions (assistant_id, gold_id);
CREATE INDEX eval_questions_created_idx ON eval_questions (tenant_id, assistant_id, created_at, id);

CREATE TABLE eval_runs (
    id text NOT NULL,
    tenant_id text NOT NULL,
    assistant_id text NOT NULL,
    name text NOT NULL,
    settings text, -- JSON: those that were tried; null: none
    top_k integer NOT NULL,
    answers numeric NOT NULL, -- whether the model was asked, too
    status text NOT NULL, -- running, completed, …: see runs.Status
    total integer NOT NULL,
    done integer NOT NULL,
    created_at datetime NOT NULL,
    ended_at datetime,
    summary text, -- JSON: see evaluation.Summary; null: it runs
    PRIMARY KEY (id)
);
CREATE INDEX eval_runs_created_idx ON eval_runs (tenant_id, assistant_id, created_at, id);
-- A start of the server ends what ran before.
CREATE INDEX eval_runs_status_idx ON eval_runs (status);

CREATE TABLE eval_outcomes (
    run_id text NOT NULL,
    place integer NOT NULL, -- of the question in the run, from 0
    tenant_id text NOT NULL,
    body text NOT NULL, -- JSON: see evaluation.Outcome
    PRIMARY KEY (run_id, place)
);
