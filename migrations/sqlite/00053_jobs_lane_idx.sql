-- +goose Up
CREATE INDEX jobs_lane_idx ON jobs (collection_id, kind, turn);

-- +goose Down
DROP INDEX jobs_lane_idx;
