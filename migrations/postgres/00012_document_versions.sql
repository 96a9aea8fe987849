-- +goose Up
CREATE TABLE document_versions (
    document_id varchar(64) COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    file_name varchar(1024) COLLATE "C" NOT NULL,
    blob_key varchar(255) COLLATE "C" NOT NULL,
    sha256 varchar(64) COLLATE "C" NOT NULL,
    bytes bigint NOT NULL,
    content_type varchar(255) COLLATE "C" NOT NULL,
    pages bigint NOT NULL,
    chunks bigint NOT NULL,
    created_at timestamptz(6) NOT NULL,
    PRIMARY KEY (document_id, version)
);

-- +goose Down
DROP TABLE document_versions;
