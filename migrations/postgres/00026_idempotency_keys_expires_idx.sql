-- +goose Up
CREATE INDEX idempotency_keys_expires_idx ON idempotency_keys (expires_at);

-- +goose Down
DROP INDEX idempotency_keys_expires_idx;
