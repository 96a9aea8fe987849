-- Collections that no assistant owns.

-- +goose Up
ALTER TABLE collections ADD shared bit NOT NULL DEFAULT 0;
CREATE INDEX collections_created_idx ON collections (tenant_id, created_at, id);
