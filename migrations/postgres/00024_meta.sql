-- +goose Up
CREATE TABLE meta (
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    name varchar(64) COLLATE "C" NOT NULL,
    content text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, name)
);

-- +goose Down
DROP TABLE meta;
