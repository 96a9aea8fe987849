-- Streams of searches, and what OpenAI's clients say of their vector stores and files.

-- +goose Up
ALTER TABLE collections ADD metadata nvarchar(max) COLLATE Latin1_General_100_BIN2; -- JSON; NULL: none
ALTER TABLE documents ADD tag_types nvarchar(max) COLLATE Latin1_General_100_BIN2; -- JSON: of the tags that are no texts; NULL: all are

-- Another server resumes streams from here, for a minute.
CREATE TABLE search_streams (
    id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    key_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- that asked
    fingerprint nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- hash of the request
    first_event bigint NOT NULL, -- number of the oldest event that is kept
    next_event bigint NOT NULL, -- number of the event after the last one
    beat bigint NOT NULL, -- grows while the answer is made
    ended bit NOT NULL,
    expires_at datetimeoffset(6) NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX search_streams_expires_idx ON search_streams (expires_at);

CREATE TABLE search_stream_events (
    stream_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    number bigint NOT NULL,
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    event nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL, -- as it was sent
    PRIMARY KEY (stream_id, number)
);
