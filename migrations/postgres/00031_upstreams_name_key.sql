-- +goose Up
CREATE UNIQUE INDEX upstreams_name_key ON upstreams (tenant_id, name);

-- +goose Down
DROP INDEX upstreams_name_key;
