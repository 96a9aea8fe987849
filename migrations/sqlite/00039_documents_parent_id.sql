-- +goose Up
ALTER TABLE documents ADD COLUMN parent_id text;

-- +goose Down
ALTER TABLE documents DROP COLUMN parent_id;
