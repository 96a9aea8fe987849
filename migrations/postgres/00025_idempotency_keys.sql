-- +goose Up
CREATE TABLE idempotency_keys (
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    key_hash varchar(64) COLLATE "C" NOT NULL,
    fingerprint varchar(64) COLLATE "C" NOT NULL,
    resources text COLLATE "C" NOT NULL,
    attempt bigint NOT NULL,
    status bigint NOT NULL,
    body text COLLATE "C" NOT NULL,
    lease_until timestamptz(6) NOT NULL,
    revision bigint NOT NULL,
    created_at timestamptz(6) NOT NULL,
    expires_at timestamptz(6) NOT NULL,
    PRIMARY KEY (tenant_id, key_hash)
);

-- +goose Down
DROP TABLE idempotency_keys;
