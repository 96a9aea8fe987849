-- +goose Up
CREATE INDEX jobs_turn_idx ON jobs (priority, turn, id);

-- +goose Down
DROP INDEX jobs_turn_idx;
