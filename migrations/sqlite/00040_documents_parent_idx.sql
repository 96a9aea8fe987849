-- +goose Up
CREATE INDEX documents_parent_idx ON documents (parent_id);

-- +goose Down
DROP INDEX documents_parent_idx;
