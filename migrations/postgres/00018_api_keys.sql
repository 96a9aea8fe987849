-- +goose Up
CREATE TABLE api_keys (
    id varchar(64) COLLATE "C" NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    name varchar(255) COLLATE "C" NOT NULL,
    prefix varchar(64) COLLATE "C" NOT NULL,
    key_hash varchar(64) COLLATE "C" NOT NULL,
    scopes text COLLATE "C" NOT NULL,
    assistants text COLLATE "C",
    default_assistant varchar(64) COLLATE "C",
    created_at timestamptz(6) NOT NULL,
    expires_at timestamptz(6),
    revoked_at timestamptz(6),
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE api_keys;
