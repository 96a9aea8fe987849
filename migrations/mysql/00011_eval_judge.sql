-- Whether the model also judges the answers of a run.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE eval_runs ADD COLUMN judge boolean NOT NULL DEFAULT false;
