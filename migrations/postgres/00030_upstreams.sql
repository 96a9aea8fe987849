-- +goose Up
CREATE TABLE upstreams (
    id varchar(64) COLLATE "C" NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    name varchar(255) COLLATE "C" NOT NULL,
    base_url text COLLATE "C" NOT NULL,
    api_key text COLLATE "C" NOT NULL,
    default_model varchar(255) COLLATE "C" NOT NULL,
    headers text COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    created_at timestamptz(6) NOT NULL,
    updated_at timestamptz(6) NOT NULL,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE upstreams;
