-- +goose Up
ALTER TABLE documents ADD COLUMN chunks_total bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE documents DROP COLUMN chunks_total;
