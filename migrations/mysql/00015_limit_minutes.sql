-- What keys and assistants used within the last minute, as the instances that share
-- this database tell each other.

-- +goose NO TRANSACTION
-- +goose Up
CREATE TABLE limit_minutes (
    tenant_id varchar(64) NOT NULL,
    subject_id varchar(64) NOT NULL, -- of the key or the assistant
    uses longtext NOT NULL, -- JSON
    told_at datetime(6) NOT NULL, -- by the clock of the database
    PRIMARY KEY (tenant_id, subject_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
-- What was told long ago is removed.
CREATE INDEX limit_minutes_age_idx ON limit_minutes (told_at);
