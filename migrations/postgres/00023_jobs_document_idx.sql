-- +goose Up
CREATE INDEX jobs_document_idx ON jobs (document_id);

-- +goose Down
DROP INDEX jobs_document_idx;
