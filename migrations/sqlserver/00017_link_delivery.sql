-- Who sends the document of a public link.

-- +goose Up
ALTER TABLE assistant_settings ADD citation_link_delivery nvarchar(32) COLLATE Latin1_General_100_BIN2; -- NULL: presigned on S3, else proxy
