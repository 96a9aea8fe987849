-- What keys and assistants used within the last minute, as the instances that share
-- this database tell each other.

-- +goose Up
CREATE TABLE limit_minutes (
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    subject_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- of the key or the assistant
    uses nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- JSON
    told_at datetimeoffset(6) NOT NULL, -- by the clock of the database
    PRIMARY KEY (tenant_id, subject_id)
);
-- What was told long ago is removed.
CREATE INDEX limit_minutes_age_idx ON limit_minutes (told_at);
