-- The audit log.

-- +goose Up

-- Who did what, when, from where, and how it ended. No answers, no passages, no secrets.
CREATE TABLE audit_events (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    created_at datetimeoffset(6) NOT NULL,
    action nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- chat, document.upload, …: see assistants.AuditAction
    result nvarchar(32) COLLATE Latin1_General_100_BIN2 NOT NULL, -- ok, refused, …: see assistants.AuditResult
    status bigint NOT NULL, -- HTTP status; 0: not known
    code nvarchar(510) COLLATE Latin1_General_100_BIN2, -- of the error
    key_id nvarchar(64) COLLATE Latin1_General_100_BIN2, -- null: no key
    key_name nvarchar(510) COLLATE Latin1_General_100_BIN2,
    user_name nvarchar(510) COLLATE Latin1_General_100_BIN2, -- what the request calls its end user
    address nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL, -- of the client
    request_id nvarchar(510) COLLATE Latin1_General_100_BIN2 NOT NULL,
    assistant_id nvarchar(64) COLLATE Latin1_General_100_BIN2,
    target_id nvarchar(510) COLLATE Latin1_General_100_BIN2, -- what was made, changed or deleted
    fields nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON list: what was changed in it
    model nvarchar(510) COLLATE Latin1_General_100_BIN2,
    query nvarchar(max) COLLATE Latin1_General_100_BIN2,
    collection_ids nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON list
    document_ids nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON list
    results bigint NOT NULL, -- number of passages found
    took_micros bigint NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX audit_events_created_idx ON audit_events (tenant_id, created_at, id);
CREATE INDEX audit_events_action_idx ON audit_events (tenant_id, action, created_at, id);
CREATE INDEX audit_events_result_idx ON audit_events (tenant_id, result, created_at, id);
CREATE INDEX audit_events_key_idx ON audit_events (tenant_id, key_id, created_at, id);
CREATE INDEX audit_events_assistant_idx ON audit_events (tenant_id, assistant_id, created_at, id);
-- Old events are removed.
CREATE INDEX audit_events_age_idx ON audit_events (created_at);
