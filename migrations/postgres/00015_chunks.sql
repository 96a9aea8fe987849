-- +goose Up
CREATE TABLE chunks (
    id varchar(64) COLLATE "C" NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    document_id varchar(64) COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    chunk_index bigint NOT NULL,
    body text COLLATE "C" NOT NULL,
    tokens bigint NOT NULL,
    page bigint NOT NULL,
    page_end bigint NOT NULL,
    heading_path text COLLATE "C" NOT NULL,
    char_start bigint NOT NULL,
    char_end bigint NOT NULL,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE chunks;
