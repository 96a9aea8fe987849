-- What a document is: as it was read, and what people have set of it.

-- +goose Up
ALTER TABLE document_versions ADD COLUMN profile text; -- JSON; NULL: not read
ALTER TABLE documents ADD COLUMN profile_edits text; -- JSON; NULL: none
