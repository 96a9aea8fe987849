-- +goose Up
CREATE TABLE documents (
    id text NOT NULL,
    tenant_id text NOT NULL,
    collection_id text NOT NULL,
    name text NOT NULL,
    source_path text,
    source_key text,
    status text NOT NULL,
    cause_code text,
    cause_message text,
    pages_done integer NOT NULL,
    pages_total integer NOT NULL,
    chunks_done integer NOT NULL,
    labels text NOT NULL,
    tags text NOT NULL,
    live integer NOT NULL,
    latest integer NOT NULL,
    latest_sha256 text NOT NULL,
    revision integer NOT NULL,
    created_at datetime NOT NULL,
    updated_at datetime NOT NULL,
    ready_at datetime,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE documents;
