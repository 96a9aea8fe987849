-- What a document is: as it was read, and what people have set of it.

-- +goose Up
ALTER TABLE document_versions ADD profile nvarchar(max) COLLATE Latin1_General_100_BIN2; -- JSON; NULL: not read
ALTER TABLE documents ADD profile_edits nvarchar(max) COLLATE Latin1_General_100_BIN2; -- JSON; NULL: none
