-- +goose Up
ALTER TABLE chunks ADD COLUMN table_header text COLLATE "C";

-- +goose Down
ALTER TABLE chunks DROP COLUMN table_header;
