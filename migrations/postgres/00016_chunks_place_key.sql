-- +goose Up
CREATE UNIQUE INDEX chunks_place_key ON chunks (document_id, version, chunk_index);

-- +goose Down
DROP INDEX chunks_place_key;
