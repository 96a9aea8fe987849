-- How the answers of /v1/search are made.

-- +goose Up
ALTER TABLE assistant_settings ADD search_temperature float NOT NULL DEFAULT 0.3;
ALTER TABLE assistant_settings ADD search_max_tokens bigint NOT NULL DEFAULT 500;
ALTER TABLE assistant_settings ADD search_top_k bigint NOT NULL DEFAULT 5;
ALTER TABLE assistant_settings ADD search_timeout_seconds bigint NOT NULL DEFAULT 30;
