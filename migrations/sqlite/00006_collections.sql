-- +goose Up
CREATE TABLE collections (
    id text NOT NULL,
    tenant_id text NOT NULL,
    name text NOT NULL,
    revision integer NOT NULL,
    created_at datetime NOT NULL,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE collections;
