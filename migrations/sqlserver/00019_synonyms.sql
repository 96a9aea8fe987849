-- Words of questions and the words that documents use for them: JSON lists of lines.

-- +goose Up
ALTER TABLE assistant_settings ADD synonyms nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT '[]';
ALTER TABLE assistant_settings ADD synonym_packs nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT '["business","legal","hr"]';
ALTER TABLE collections ADD synonyms nvarchar(max) COLLATE Latin1_General_100_BIN2; -- NULL: none
