-- Streams of searches, and what OpenAI's clients say of their vector stores and files.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE collections ADD COLUMN metadata longtext; -- JSON; NULL: none
ALTER TABLE documents ADD COLUMN tag_types longtext; -- JSON: of the tags that are no texts; NULL: all are

-- Another server resumes streams from here, for a minute.
CREATE TABLE search_streams (
    id varchar(64) NOT NULL,
    tenant_id varchar(64) NOT NULL,
    key_id varchar(64) NOT NULL, -- that asked
    fingerprint varchar(64) NOT NULL, -- hash of the request
    first_event bigint NOT NULL, -- number of the oldest event that is kept
    next_event bigint NOT NULL, -- number of the event after the last one
    beat bigint NOT NULL, -- grows while the answer is made
    ended boolean NOT NULL,
    expires_at datetime(6) NOT NULL,
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
CREATE INDEX search_streams_expires_idx ON search_streams (expires_at);

CREATE TABLE search_stream_events (
    stream_id varchar(64) NOT NULL,
    number bigint NOT NULL,
    tenant_id varchar(64) NOT NULL,
    event longtext NOT NULL, -- as it was sent
    PRIMARY KEY (stream_id, number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*M! COLLATE=utf8mb4_nopad_bin */ /*!80017 COLLATE=utf8mb4_0900_bin */;
