-- +goose Up
CREATE UNIQUE INDEX documents_source_key ON documents (collection_id, source_key);

-- +goose Down
DROP INDEX documents_source_key;
