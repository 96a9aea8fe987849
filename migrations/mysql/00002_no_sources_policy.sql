-- What answers a question that no passage fits: the model, or a fixed sentence.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN no_sources_policy varchar(32) NOT NULL DEFAULT 'answer';
