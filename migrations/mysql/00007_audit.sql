-- The audit log.

-- +goose NO TRANSACTION
-- +goose Up

-- Who did what, when, from where, and how it ended. No answers, no passages, no secrets.
CREATE TABLE audit_events (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    created_at datetime(6) NOT NULL,
    action varchar(64) NOT NULL, -- chat, document.upload, …: see assistants.AuditAction
    result varchar(32) NOT NULL, -- ok, refused, …: see assistants.AuditResult
    status bigint NOT NULL, -- HTTP status; 0: not known
    code varchar(255), -- of the error
    key_id varchar(64), -- null: no key
    key_name varchar(255),
    user_name varchar(255), -- what the request calls its end user
    address varchar(255) NOT NULL, -- of the client
    request_id varchar(255) NOT NULL,
    assistant_id varchar(64),
    target_id varchar(255), -- what was made, changed or deleted
    fields longtext NOT NULL, -- JSON list: what was changed in it
    model varchar(255),
    query longtext,
    collection_ids longtext NOT NULL, -- JSON list
    document_ids longtext NOT NULL, -- JSON list
    results bigint NOT NULL, -- number of passages found
    took_micros bigint NOT NULL,
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
CREATE INDEX audit_events_created_idx ON audit_events (tenant_id, created_at, id);
CREATE INDEX audit_events_action_idx ON audit_events (tenant_id, action, created_at, id);
CREATE INDEX audit_events_result_idx ON audit_events (tenant_id, result, created_at, id);
CREATE INDEX audit_events_key_idx ON audit_events (tenant_id, key_id, created_at, id);
CREATE INDEX audit_events_assistant_idx ON audit_events (tenant_id, assistant_id, created_at, id);
-- Old events are removed.
CREATE INDEX audit_events_age_idx ON audit_events (created_at);
