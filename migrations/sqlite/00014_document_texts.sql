-- +goose Up
CREATE TABLE document_texts (
    document_id text NOT NULL,
    version integer NOT NULL,
    tenant_id text NOT NULL,
    body text NOT NULL,
    runes integer NOT NULL,
    pages text NOT NULL,
    PRIMARY KEY (document_id, version)
);

-- +goose Down
DROP TABLE document_texts;
