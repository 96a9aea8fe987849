-- The lines like titles at the top of a passage's page.

-- +goose Up
ALTER TABLE chunks ADD page_opening nvarchar(max) COLLATE Latin1_General_100_BIN2; -- NULL: none, or it was read before
