-- +goose Up
ALTER TABLE jobs ADD COLUMN priority bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE jobs DROP COLUMN priority;
