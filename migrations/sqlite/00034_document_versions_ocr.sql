-- +goose Up
ALTER TABLE document_versions ADD COLUMN ocr numeric NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE document_versions DROP COLUMN ocr;
