-- Who sends the document of a public link.

-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN citation_link_delivery text; -- NULL: presigned on S3, else proxy
