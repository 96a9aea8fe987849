-- +goose Up
CREATE INDEX documents_created_idx ON documents (collection_id, created_at, id);

-- +goose Down
DROP INDEX documents_created_idx;
