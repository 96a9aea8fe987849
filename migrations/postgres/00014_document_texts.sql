-- +goose Up
CREATE TABLE document_texts (
    document_id varchar(64) COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    body text COLLATE "C" NOT NULL,
    runes bigint NOT NULL,
    pages text COLLATE "C" NOT NULL,
    PRIMARY KEY (document_id, version)
);

-- +goose Down
DROP TABLE document_texts;
