-- The largest number of passages of the same document; 0: no limit.

-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN max_sources_per_document bigint NOT NULL DEFAULT 0;
