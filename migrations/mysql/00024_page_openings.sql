-- The lines like titles at the top of a passage's page.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE chunks ADD COLUMN page_opening longtext; -- NULL: none, or it was read before
