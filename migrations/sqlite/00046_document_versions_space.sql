-- +goose Up
ALTER TABLE document_versions ADD COLUMN space text;

-- +goose Down
ALTER TABLE document_versions DROP COLUMN space;
