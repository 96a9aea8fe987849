-- Who sends the document of a public link.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN citation_link_delivery varchar(32) NULL; -- NULL: presigned on S3, else proxy
