-- Streams of searches, and what OpenAI's clients say of their vector stores and files.

-- +goose Up
ALTER TABLE collections ADD COLUMN metadata text; -- JSON; NULL: none
ALTER TABLE documents ADD COLUMN tag_types text; -- JSON: of the tags that are no texts; NULL: all are

-- Another server resumes streams from here, for a minute.
CREATE TABLE search_streams (
    id text NOT NULL,
    tenant_id text NOT NULL,
    key_id text NOT NULL, -- that asked
    fingerprint text NOT NULL, -- hash of the request
    first_event integer NOT NULL, -- number of the oldest event that is kept
    next_event integer NOT NULL, -- number of the event after the last one
    beat integer NOT NULL, -- grows while the answer is made
    ended numeric NOT NULL,
    expires_at datetime NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX search_streams_expires_idx ON search_streams (expires_at);

CREATE TABLE search_stream_events (
    stream_id text NOT NULL,
    number integer NOT NULL,
    tenant_id text NOT NULL,
    event text NOT NULL, -- as it was sent
    PRIMARY KEY (stream_id, number)
);
