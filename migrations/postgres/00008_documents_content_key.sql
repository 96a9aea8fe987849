-- +goose Up
CREATE UNIQUE INDEX documents_content_key ON documents (collection_id, latest_sha256);

-- +goose Down
DROP INDEX documents_content_key;
