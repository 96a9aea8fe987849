-- Upstreams that are asked when the one before fails: a JSON list.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN upstream_fallbacks longtext NOT NULL DEFAULT ('[]');
