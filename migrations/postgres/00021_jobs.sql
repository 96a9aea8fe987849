-- +goose Up
CREATE TABLE jobs (
    id varchar(64) COLLATE "C" NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    kind varchar(32) COLLATE "C" NOT NULL,
    document_id varchar(64) COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    blob_keys text COLLATE "C" NOT NULL,
    attempt bigint NOT NULL,
    not_before timestamptz(6) NOT NULL,
    lease_until timestamptz(6),
    revision bigint NOT NULL,
    created_at timestamptz(6) NOT NULL,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE jobs;
