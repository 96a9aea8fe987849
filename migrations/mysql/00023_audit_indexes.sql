-- The audit log's indexes: fewer and smaller, because every chat is written into each of them.

-- +goose NO TRANSACTION
-- +goose Up

-- Old events are found by tenant. The other indexes stay as they are: here none can leave
-- out rows, and each has the id anyway.
DROP INDEX audit_events_age_idx ON audit_events;
