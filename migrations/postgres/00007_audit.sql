-- The audit log.

-- +goose Up

-- Who did what, when, from where, and how it ended. No answers, no passages, no secrets.
CREATE TABLE audit_events (
    id varchar(64) COLLATE "C" NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    created_at timestamptz(6) NOT NULL,
    action varchar(64) COLLATE "C" NOT NULL, -- chat, document.upload, …: see assistants.AuditAction
    result varchar(32) COLLATE "C" NOT NULL, -- ok, refused, …: see assistants.AuditResult
    status bigint NOT NULL, -- HTTP status; 0: not known
    code varchar(255) COLLATE "C", -- of the error
    key_id varchar(64) COLLATE "C", -- null: no key
    key_name varchar(255) COLLATE "C",
    user_name varchar(255) COLLATE "C", -- what the request calls its end user
    address varchar(255) COLLATE "C" NOT NULL, -- of the client
    request_id varchar(255) COLLATE "C" NOT NULL,
    assistant_id varchar(64) COLLATE "C",
    target_id varchar(255) COLLATE "C", -- what was made, changed or deleted
    fields text COLLATE "C" NOT NULL, -- JSON list: what was changed in it
    model varchar(255) COLLATE "C",
    query text COLLATE "C",
    collection_ids text COLLATE "C" NOT NULL, -- JSON list
    document_ids text COLLATE "C" NOT NULL, -- JSON list
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
