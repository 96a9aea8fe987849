-- Words of questions and the words that documents use for them: JSON lists of lines.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN synonyms longtext NOT NULL DEFAULT ('[]');
ALTER TABLE assistant_settings ADD COLUMN synonym_packs longtext NOT NULL DEFAULT ('["business","legal","hr"]');
ALTER TABLE collections ADD COLUMN synonyms longtext; -- NULL: none
