-- +goose Up
ALTER TABLE jobs ADD COLUMN turn integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE jobs DROP COLUMN turn;
