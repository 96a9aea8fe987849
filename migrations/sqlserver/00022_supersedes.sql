-- The document of the same collection that a document replaces.

-- +goose Up
ALTER TABLE documents ADD supersedes nvarchar(64) COLLATE Latin1_General_100_BIN2; -- NULL: none
CREATE INDEX documents_supersedes_idx ON documents (supersedes);
