-- Upstreams that are asked when the one before fails: a JSON list.

-- +goose Up
ALTER TABLE assistant_settings ADD upstream_fallbacks nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT '[]';
