-- +goose Up
CREATE TABLE document_versions (
    document_id text NOT NULL,
    version integer NOT NULL,
    tenant_id text NOT NULL,
    file_name text NOT NULL,
    blob_key text NOT NULL,
    sha256 text NOT NULL,
    bytes integer NOT NULL,
    content_type text NOT NULL,
    pages integer NOT NULL,
    chunks integer NOT NULL,
    created_at datetime NOT NULL,
    PRIMARY KEY (document_id, version)
);

-- +goose Down
DROP TABLE document_versions;
