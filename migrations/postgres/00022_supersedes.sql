-- The document of the same collection that a document replaces.

-- +goose Up
ALTER TABLE documents ADD COLUMN supersedes varchar(64) COLLATE "C"; -- NULL: none
CREATE INDEX documents_supersedes_idx ON documents (supersedes);
