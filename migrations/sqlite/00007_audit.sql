-- The audit log.

-- +goose Up

-- Who did what, when, from where, and how it ended. No answers, no passages, no secrets.
CREATE TABLE audit_events (
    id text NOT NULL,
    tenant_id text NOT NULL,
    created_at datetime NOT NULL,
    action text NOT NULL, -- chat, document.upload, …: see assistants.AuditAction
    result text NOT NULL, -- ok, refused, …: see assistants.AuditResult
    status integer NOT NULL, -- HTTP status; 0: not known
    code text, -- of the error
    key_id text, -- null: no key
    key_name text,
    user_name text, -- what the request calls its end user
    address text NOT NULL, -- of the client
    request_id text NOT NULL,
    assistant_id text,
    target_id text, -- what was made, changed or deleted
    fields text NOT NULL, -- JSON list: what was changed in it
    model text,
    query text,
    collection_ids text NOT NULL, -- JSON list
    document_ids text NOT NULL, -- JSON list
    results integer NOT NULL, -- number of passages found
    took_micros integer NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX audit_events_created_idx ON audit_events (tenant_id, created_at, id);
CREATE INDEX audit_events_action_idx ON audit_events (tenant_id, action, created_at, id);
CREATE INDEX audit_events_result_idx ON audit_events (tenant_id, result, created_at, id);
CREATE INDEX audit_events_key_idx ON audit_events (tenant_id, key_id, created_at, id);
CREATE INDEX audit_events_assistant_idx ON audit_events (tenant_id, assistant_id, created_at, id);
-- Old events are removed.
CREATE INDEX audit_events_age_idx ON audit_events (created_at);
