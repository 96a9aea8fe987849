-- +goose Up
CREATE TABLE assistants (
    id text NOT NULL,
    tenant_id text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    collection_id text NOT NULL,
    revision integer NOT NULL,
    created_at datetime NOT NULL,
    updated_at datetime NOT NULL,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE assistants;
