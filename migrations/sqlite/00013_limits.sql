-- What keys and assistants may use. NULL: there is no limit.

-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN requests_per_minute integer;
ALTER TABLE assistant_settings ADD COLUMN tokens_per_minute integer;
ALTER TABLE assistant_settings ADD COLUMN concurrent_streams integer;
ALTER TABLE assistant_settings ADD COLUMN searches_per_minute integer;
ALTER TABLE assistant_settings ADD COLUMN uploads_per_minute integer;
ALTER TABLE assistant_settings ADD COLUMN requests_per_month integer;
ALTER TABLE assistant_settings ADD COLUMN tokens_per_month integer;
ALTER TABLE api_keys ADD COLUMN limits text; -- JSON; NULL: those of keys that are made without any

-- What they have used within a month.
CREATE TABLE limit_months (
    tenant_id text NOT NULL,
    subject_id text NOT NULL, -- of the key or the assistant
    begins_at datetime NOT NULL, -- the month
    requests integer NOT NULL,
    tokens integer NOT NULL,
    PRIMARY KEY (tenant_id, subject_id, begins_at)
);
-- Old months are removed.
CREATE INDEX limit_months_age_idx ON limit_months (begins_at);
