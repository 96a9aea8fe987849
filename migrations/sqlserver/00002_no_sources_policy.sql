-- What answers a question that no passage fits: the model, or a fixed sentence.

-- +goose Up
ALTER TABLE assistant_settings ADD no_sources_policy nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT 'answer';
