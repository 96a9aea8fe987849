-- Streams of searches, and what OpenAI's clients say of their vector stores and files.

-- +goose Up
ALTER TABLE collections ADD COLUMN metadata text COLLATE "C"; -- JSON; NULL: none
ALTER TABLE documents ADD COLUMN tag_types text COLLATE "C"; -- JSON: of the tags that are no texts; NULL: all are

-- Another server resumes streams from here, for a minute.
CREATE TABLE search_streams (
    id varchar(64) COLLATE "C" NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    key_id varchar(64) COLLATE "C" NOT NULL, -- that asked
    fingerprint varchar(64) COLLATE "C" NOT NULL, -- hash of the request
    first_event bigint NOT NULL, -- number of the oldest event that is kept
    next_event bigint NOT NULL, -- number of the event after the last one
    beat bigint NOT NULL, -- grows while the answer is made
    ended boolean NOT NULL,
    expires_at timestamptz(6) NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX search_streams_expires_idx ON search_streams (expires_at);

CREATE TABLE search_stream_events (
    stream_id varchar(64) COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    tenant_id varchar(64) COLLATE "C" NOT NULL,
    event text COLLATE "C" NOT NULL, -- as it was sent
    PRIMARY KEY (stream_id, number)
);
