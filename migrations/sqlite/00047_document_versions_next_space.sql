-- +goose Up
ALTER TABLE document_versions ADD COLUMN next_space text;

-- +goose Down
ALTER TABLE document_versions DROP COLUMN next_space;
