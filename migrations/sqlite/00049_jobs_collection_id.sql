-- +goose Up
ALTER TABLE jobs ADD COLUMN collection_id text;

-- +goose Down
ALTER TABLE jobs DROP COLUMN collection_id;
