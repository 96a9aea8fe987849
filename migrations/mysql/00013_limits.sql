-- What keys and assistants may use. NULL: there is no limit.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE assistant_settings ADD COLUMN requests_per_minute bigint;
ALTER TABLE assistant_settings ADD COLUMN tokens_per_minute bigint;
ALTER TABLE assistant_settings ADD COLUMN concurrent_streams bigint;
ALTER TABLE assistant_settings ADD COLUMN searches_per_minute bigint;
ALTER TABLE assistant_settings ADD COLUMN uploads_per_minute bigint;
ALTER TABLE assistant_settings ADD COLUMN requests_per_month bigint;
ALTER TABLE assistant_settings ADD COLUMN tokens_per_month bigint;
ALTER TABLE api_keys ADD COLUMN limits longtext; -- JSON; NULL: those of keys that are made without any

-- What they have used within a month.
CREATE TABLE limit_months (
    tenant_id varchar(64) NOT NULL,
    subject_id varchar(64) NOT NULL, -- of the key or the assistant
    begins_at datetime(6) NOT NULL, -- the month
    requests bigint NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (tenant_id, subject_id, begins_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
-- Old months are removed.
CREATE INDEX limit_months_age_idx ON limit_months (begins_at);
