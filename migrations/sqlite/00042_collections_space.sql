-- +goose Up
ALTER TABLE collections ADD COLUMN space text;

-- +goose Down
ALTER TABLE collections DROP COLUMN space;
