-- +goose Up
ALTER TABLE collections ADD COLUMN calibration text COLLATE "C";

-- +goose Down
ALTER TABLE collections DROP COLUMN calibration;
