-- +goose Up
ALTER TABLE jobs ADD COLUMN collection_id varchar(64) COLLATE "C";

-- +goose Down
ALTER TABLE jobs DROP COLUMN collection_id;
