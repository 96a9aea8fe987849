-- +goose Up
CREATE TABLE meta (
    tenant_id text NOT NULL,
    name text NOT NULL,
    content text NOT NULL,
    PRIMARY KEY (tenant_id, name)
);

-- +goose Down
DROP TABLE meta;
