-- The order of a collection's jobs: small documents go before large ones.

-- +goose Up
ALTER TABLE jobs ADD place bigint NOT NULL DEFAULT 0; -- microseconds since 1970: when it was queued, and the time its work takes
CREATE INDEX jobs_place_idx ON jobs (collection_id, priority, place);
