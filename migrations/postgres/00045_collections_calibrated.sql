-- +goose Up
ALTER TABLE collections ADD COLUMN calibrated bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE collections DROP COLUMN calibrated;
