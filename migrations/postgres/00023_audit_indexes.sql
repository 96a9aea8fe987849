-- The audit log's indexes: fewer and smaller, because every chat is written into each of them.

-- +goose Up

-- Old events are found by tenant.
DROP INDEX audit_events_age_idx;
-- Few events have the same time, so that no id is needed. Most results are ok.
DROP INDEX audit_events_created_idx;
CREATE INDEX audit_events_created_idx ON audit_events (tenant_id, created_at);
DROP INDEX audit_events_action_idx;
CREATE INDEX audit_events_action_idx ON audit_events (tenant_id, action, created_at);
DROP INDEX audit_events_result_idx;
CREATE INDEX audit_events_result_idx ON audit_events (tenant_id, result, created_at) WHERE result <> 'ok';
DROP INDEX audit_events_key_idx;
CREATE INDEX audit_events_key_idx ON audit_events (tenant_id, key_id, created_at);
DROP INDEX audit_events_assistant_idx;
CREATE INDEX audit_events_assistant_idx ON audit_events (tenant_id, assistant_id, created_at);
