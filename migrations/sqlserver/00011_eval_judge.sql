-- Whether the model also judges the answers of a run.

-- +goose Up
ALTER TABLE eval_runs ADD judge bit NOT NULL DEFAULT 0;
