-- +goose Up
ALTER TABLE collections ADD COLUMN space text COLLATE "C";

-- +goose Down
ALTER TABLE collections DROP COLUMN space;
