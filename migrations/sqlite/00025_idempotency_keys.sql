-- +goose Up
CREATE TABLE idempotency_keys (
    tenant_id text NOT NULL,
    key_hash text NOT NULL,
    fingerprint text NOT NULL,
    resources text NOT NULL,
    attempt integer NOT NULL,
    status integer NOT NULL,
    body text NOT NULL,
    lease_until datetime NOT NULL,
    revision integer NOT NULL,
    created_at datetime NOT NULL,
    expires_at datetime NOT NULL,
    PRIMARY KEY (tenant_id, key_hash)
);

-- +goose Down
DROP TABLE idempotency_keys;
