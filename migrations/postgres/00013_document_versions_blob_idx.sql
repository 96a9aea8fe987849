-- +goose Up
CREATE INDEX document_versions_blob_idx ON document_versions (blob_key);

-- +goose Down
DROP INDEX document_versions_blob_idx;
