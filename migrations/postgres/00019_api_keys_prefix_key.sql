-- +goose Up
CREATE UNIQUE INDEX api_keys_prefix_key ON api_keys (prefix);

-- +goose Down
DROP INDEX api_keys_prefix_key;
