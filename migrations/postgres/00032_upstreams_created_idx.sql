-- +goose Up
CREATE INDEX upstreams_created_idx ON upstreams (tenant_id, created_at, id);

-- +goose Down
DROP INDEX upstreams_created_idx;
