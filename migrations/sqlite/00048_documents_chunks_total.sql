-- +goose Up
ALTER TABLE documents ADD COLUMN chunks_total integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE documents DROP COLUMN chunks_total;
