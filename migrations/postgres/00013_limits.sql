-- What keys and assistants may use. NULL: there is no limit.

-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN requests_per_minute bigint;
ALTER TABLE assistant_settings ADD COLUMN tokens_per_minute bigint;
ALTER TABLE assistant_settings ADD COLUMN concurrent_streams bigint;
ALTER TABLE assistant_settings ADD COLUMN searches_per_minute bigint;
ALTER TABLE assistant_settings ADD COLUMN uploads_per_minute bigint;
ALTER TABLE assistant_settings ADD COLUMN requests_per_month bigint;
ALTER TABLE assistant_settings ADD COLUMN tokens_per_month bigint;
ALTER TABLE api_keys ADD COLUMN limits text COLLATE "C"; -- JSON; NULL: those of keys that are made without any

-- What they have used within a month.
CREATE TABLE limit_months (
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    subject_id varchar(64) COLLATE "C" NOT NULL, -- of the key or the assistant
    begins_at timestamptz(6) NOT NULL, -- the month
    requests bigint NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (tenant_id, subject_id, begins_at)
);
-- Old months are removed.
CREATE INDEX limit_months_age_idx ON limit_months (begins_at);
