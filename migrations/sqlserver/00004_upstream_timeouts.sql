-- How long a model server may take, in seconds; 0 means the default.

-- +goose Up
ALTER TABLE upstreams ADD first_token_timeout bigint NOT NULL DEFAULT 0; -- to the first token of a stream
ALTER TABLE upstreams ADD idle_timeout bigint NOT NULL DEFAULT 0;        -- between two pieces of a stream
ALTER TABLE upstreams ADD total_timeout bigint NOT NULL DEFAULT 0;       -- for an answer that is not a stream
