-- +goose Up
CREATE INDEX jobs_created_idx ON jobs (created_at, id);

-- +goose Down
DROP INDEX jobs_created_idx;
