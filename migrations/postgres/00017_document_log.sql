-- +goose Up
CREATE TABLE document_log (
    document_id varchar(64) COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    status varchar(32) COLLATE "C" NOT NULL,
    cause_code varchar(64) COLLATE "C",
    cause_message text COLLATE "C",
    logged_at timestamptz(6) NOT NULL,
    PRIMARY KEY (document_id, revision)
);

-- +goose Down
DROP TABLE document_log;
