-- What a document is: as it was read, and what people have set of it.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE document_versions ADD COLUMN profile longtext; -- JSON; NULL: not read
ALTER TABLE documents ADD COLUMN profile_edits longtext; -- JSON; NULL: none
