-- +goose Up
CREATE TABLE collections (
    id varchar(64) COLLATE "C" NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    name varchar(255) COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    created_at timestamptz(6) NOT NULL,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE collections;
