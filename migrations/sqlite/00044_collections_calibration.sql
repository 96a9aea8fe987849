-- +goose Up
ALTER TABLE collections ADD COLUMN calibration text;

-- +goose Down
ALTER TABLE collections DROP COLUMN calibration;
