-- Words of questions and the words that documents use for them: JSON lists of lines.

-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN synonyms text COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE assistant_settings ADD COLUMN synonym_packs text COLLATE "C" NOT NULL DEFAULT '["business","legal","hr"]';
ALTER TABLE collections ADD COLUMN synonyms text COLLATE "C"; -- NULL: none
