-- +goose Up
CREATE TABLE assistants (
    id varchar(64) COLLATE "C" NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    slug varchar(64) COLLATE "C" NOT NULL,
    name varchar(255) COLLATE "C" NOT NULL,
    collection_id varchar(64) COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    created_at timestamptz(6) NOT NULL,
    updated_at timestamptz(6) NOT NULL,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE assistants;
