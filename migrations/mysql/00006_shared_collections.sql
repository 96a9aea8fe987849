-- Collections that no assistant owns.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE collections ADD COLUMN `shared` boolean NOT NULL DEFAULT false;
CREATE INDEX collections_created_idx ON collections (tenant_id, created_at, id);
