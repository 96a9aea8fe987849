-- +goose Up
ALTER TABLE chunks ADD COLUMN table_header text;

-- +goose Down
ALTER TABLE chunks DROP COLUMN table_header;
