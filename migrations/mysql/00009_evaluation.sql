-- Gold questions, and the runs that put them to their assistant.

-- +goose NO TRANSACTION
-- +goose Up

CREATE TABLE eval_questions (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    assistant_id varchar(64) NOT NULL,
    gold_id varchar(255) NOT NULL, -- what the client calls it
    body longtext NOT NULL, -- JSON: see evaluation.Question
    created_at datetime(6) NOT NULL,
    updated_at datetime(6) NOT NULL,
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
CREATE UNIQUE INDEX eval_questions_gold_key ON eval_questions (assistant_id, gold_id);
CREATE INDEX eval_questions_created_idx ON eval_questions (tenant_id, assistant_id, created_at, id);

CREATE TABLE eval_runs (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    assistant_id varchar(64) NOT NULL,
    name varchar(255) NOT NULL,
    settings longtext, -- JSON: those that were tried; null: none
    top_k bigint NOT NULL,
    answers boolean NOT NULL, -- whether the model was asked, too
    status varchar(32) NOT NULL, -- running, completed, …: see runs.Status
    total bigint NOT NULL,
    done bigint NOT NULL,
    created_at datetime(6) NOT NULL,
    ended_at datetime(6),
    summary longtext, -- JSON: see evaluation.Summary; null: it runs
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
CREATE INDEX eval_runs_created_idx ON eval_runs (tenant_id, assistant_id, created_at, id);
-- A start of the server ends what ran before.
CREATE INDEX eval_runs_status_idx ON eval_runs (status);

CREATE TABLE eval_outcomes (
    run_id varchar(64) NOT NULL,
    place bigint NOT NULL, -- of the question in the run, from 0
    tenant_id varchar(64) NOT NULL,
    body longtext NOT NULL, -- JSON: see evaluation.Outcome
    PRIMARY KEY (run_id, place)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
