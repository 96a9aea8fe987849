-- +goose Up
CREATE TABLE upstreams (
    id text NOT NULL,
    tenant_id text NOT NULL,
    name text NOT NULL,
    base_url text NOT NULL,
    api_key text NOT NULL,
    default_model text NOT NULL,
    headers text NOT NULL,
    revision integer NOT NULL,
    created_at datetime NOT NULL,
    updated_at datetime NOT NULL,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE upstreams;
