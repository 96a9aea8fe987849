-- +goose Up
CREATE INDEX api_keys_created_idx ON api_keys (tenant_id, created_at, id);

-- +goose Down
DROP INDEX api_keys_created_idx;
