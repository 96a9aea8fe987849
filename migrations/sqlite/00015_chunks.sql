-- +goose Up
CREATE TABLE chunks (
    id text NOT NULL,
    tenant_id text NOT NULL,
    document_id text NOT NULL,
    version integer NOT NULL,
    chunk_index integer NOT NULL,
    body text NOT NULL,
    tokens integer NOT NULL,
    page integer NOT NULL,
    page_end integer NOT NULL,
    heading_path text NOT NULL,
    char_start integer NOT NULL,
    char_end integer NOT NULL,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE chunks;
