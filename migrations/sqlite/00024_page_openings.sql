-- The lines like titles at the top of a passage's page.

-- +goose Up
ALTER TABLE chunks ADD COLUMN page_opening text; -- NULL: none, or it was read before
