-- +goose Up
ALTER TABLE documents ADD COLUMN parent_id varchar(64) COLLATE "C";

-- +goose Down
ALTER TABLE documents DROP COLUMN parent_id;
