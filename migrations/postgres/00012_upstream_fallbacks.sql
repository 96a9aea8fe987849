-- Upstreams that are asked when the one before fails: a JSON list.

-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN upstream_fallbacks text COLLATE "C" NOT NULL DEFAULT '[]';
