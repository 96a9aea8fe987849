-- Whether the model also judges the answers of a run.

-- +goose Up
ALTER TABLE eval_runs ADD COLUMN judge numeric NOT NULL DEFAULT false;
