-- +goose Up
CREATE INDEX assistants_created_idx ON assistants (tenant_id, created_at, id);

-- +goose Down
DROP INDEX assistants_created_idx;
