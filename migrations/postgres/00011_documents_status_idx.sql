-- +goose Up
CREATE INDEX documents_status_idx ON documents (tenant_id, status);

-- +goose Down
DROP INDEX documents_status_idx;
