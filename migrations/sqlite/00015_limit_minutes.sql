-- What keys and assistants used within the last minute, as the instances that share
-- a database tell each other. A file has one instance, which keeps it in memory.

-- +goose Up
CREATE TABLE limit_minutes (
    tenant_id text NOT NULL,
    subject_id text NOT NULL, -- of the key or the assistant
    uses text NOT NULL, -- JSON
    told_at datetime NOT NULL,
    PRIMARY KEY (tenant_id, subject_id)
);
-- What was told long ago is removed.
CREATE INDEX limit_minutes_age_idx ON limit_minutes (told_at);
