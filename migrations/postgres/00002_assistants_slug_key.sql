-- +goose Up
CREATE UNIQUE INDEX assistants_slug_key ON assistants (tenant_id, slug);

-- +goose Down
DROP INDEX assistants_slug_key;
