-- +goose Up
CREATE UNIQUE INDEX assistants_collection_key ON assistants (collection_id);

-- +goose Down
DROP INDEX assistants_collection_key;
