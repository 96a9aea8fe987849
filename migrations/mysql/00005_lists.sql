-- What lists are searched and sorted by. The program fills in name_key and marks of existing rows after this.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE assistants ADD COLUMN name_key varchar(640) NOT NULL DEFAULT ''; -- the name without upper case; '': not filled in yet
ALTER TABLE documents ADD COLUMN name_key varchar(640) NOT NULL DEFAULT '';  -- the same
ALTER TABLE documents ADD COLUMN marks longtext NOT NULL DEFAULT ('');     -- labels and tags as JSON, each on a line of its own
CREATE INDEX documents_name_idx ON documents (collection_id, name_key, id);
-- Rows that still have to be filled in.
CREATE INDEX documents_unfilled_idx ON documents (name_key, id);
