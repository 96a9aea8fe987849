-- +goose Up
ALTER TABLE collections ADD COLUMN next_space text COLLATE "C";

-- +goose Down
ALTER TABLE collections DROP COLUMN next_space;
