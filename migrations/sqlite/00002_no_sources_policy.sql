-- What answers a question that no passage fits: the model, or a fixed sentence.

-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN no_sources_policy text NOT NULL DEFAULT 'answer';
