-- +goose Up
CREATE TABLE document_log (
    document_id text NOT NULL,
    revision integer NOT NULL,
    tenant_id text NOT NULL,
    version integer NOT NULL,
    status text NOT NULL,
    cause_code text,
    cause_message text,
    logged_at datetime NOT NULL,
    PRIMARY KEY (document_id, revision)
);

-- +goose Down
DROP TABLE document_log;
