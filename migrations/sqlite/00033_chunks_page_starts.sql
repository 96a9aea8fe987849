-- +goose Up
ALTER TABLE chunks ADD COLUMN page_starts text;

-- +goose Down
ALTER TABLE chunks DROP COLUMN page_starts;
