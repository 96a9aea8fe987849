-- What lists are searched and sorted by. The program fills in name_key and marks of existing rows after this.

-- +goose Up
ALTER TABLE assistants ADD name_key nvarchar(640) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT ''; -- the name without upper case; '': not filled in yet
ALTER TABLE documents ADD name_key nvarchar(640) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT '';  -- the same
ALTER TABLE documents ADD marks nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL DEFAULT '';     -- labels and tags as JSON, each on a line of its own
CREATE INDEX documents_name_idx ON documents (collection_id, name_key, id);
-- Rows that still have to be filled in.
CREATE INDEX documents_unfilled_idx ON documents (id) WHERE name_key = '';
