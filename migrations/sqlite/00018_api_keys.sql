-- +goose Up
CREATE TABLE api_keys (
    id text NOT NULL,
    tenant_id text NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    key_hash text NOT NULL,
    scopes text NOT NULL,
    assistants text,
    default_assistant text,
    created_at datetime NOT NULL,
    expires_at datetime,
    revoked_at datetime,
    PRIMARY KEY (id)
);

-- +goose Down
DROP TABLE api_keys;
