-- +goose Up
CREATE TABLE documents (
    id varchar(64) COLLATE "C" NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    collection_id varchar(64) COLLATE "C" NOT NULL,
    name varchar(255) COLLATE "C" NOT NULL,
    source_path text COLLATE "C",
    source_key varchar(64) COLLATE "C",
    status varchar(32) COLLATE "C" NOT NULL,
    cause_code varchar(64) COLLATE "C",
    cause_message text COLLATE "C",
    pages_done bigint NOT NULL,
    pages_total bigint NOT NULL,
    chunks_done bigint NOT NULL,
    labels text COLLATE "C" NOT NULL,
    tags text COLLATE "C" NOT NULL,
    live bigint NOT NULL,
    latest bigint NOT NULL,
    latest_sha256 varchar(64) COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    created_at timestamptz(6) NOT NULL,
    updated_at timestamptz(6) NOT NULL,
    ready_at timestamptz(6),
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE documents;
