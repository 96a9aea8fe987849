-- What keys and assistants may use. NULL: there is no limit.

-- +goose Up
ALTER TABLE assistant_settings ADD requests_per_minute bigint;
ALTER TABLE assistant_settings ADD tokens_per_minute bigint;
ALTER TABLE assistant_settings ADD concurrent_streams bigint;
ALTER TABLE assistant_settings ADD searches_per_minute bigint;
ALTER TABLE assistant_settings ADD uploads_per_minute bigint;
ALTER TABLE assistant_settings ADD requests_per_month bigint;
ALTER TABLE assistant_settings ADD tokens_per_month bigint;
ALTER TABLE api_keys ADD limits nvarchar(max) COLLATE Latin1_General_100_BIN2; -- JSON; NULL: those of keys that are made without any

-- What they have used within a month.
CREATE TABLE limit_months (
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    subject_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- of the key or the assistant
    begins_at datetimeoffset(6) NOT NULL, -- the month
    requests bigint NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (tenant_id, subject_id, begins_at)
);
-- Old months are removed.
CREATE INDEX limit_months_age_idx ON limit_months (begins_at);
