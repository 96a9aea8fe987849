-- +goose Up
CREATE TABLE jobs (
    id text NOT NULL,
    tenant_id text NOT NULL,
    kind text NOT NULL,
    document_id text NOT NULL,
    version integer NOT NULL,
    blob_keys text NOT NULL,
    attempt integer NOT NULL,
    not_before datetime NOT NULL,
    lease_until datetime,
    revision integer NOT NULL,
    created_at datetime NOT NULL,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE jobs;
