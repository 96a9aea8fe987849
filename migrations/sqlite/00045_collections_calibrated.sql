-- +goose Up
ALTER TABLE collections ADD COLUMN calibrated integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE collections DROP COLUMN calibrated;
