-- The usage of assistants by hour.

-- +goose Up

-- The chats of an hour with one assistant and one key.
CREATE TABLE usage_hours (
    tenant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL,
    begins_at datetimeoffset(6) NOT NULL, -- the hour
    assistant_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- empty: none
    key_id nvarchar(64) COLLATE Latin1_General_100_BIN2 NOT NULL, -- empty: none
    requests bigint NOT NULL, -- chats
    refused bigint NOT NULL, -- for a mistake of the request
    failed bigint NOT NULL,
    interrupted bigint NOT NULL, -- the client left
    counted bigint NOT NULL, -- whose model server told the tokens
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    first_bytes bigint NOT NULL, -- whose answer began
    first_byte_micros bigint NOT NULL, -- from requests to first bytes, all together
    first_byte_most bigint NOT NULL, -- the longest
    cited bigint NOT NULL, -- by the status of their citations
    uncited bigint NOT NULL,
    no_sources bigint NOT NULL,
    unavailable bigint NOT NULL,
    PRIMARY KEY (tenant_id, begins_at, assistant_id, key_id)
);
-- Old hours are removed.
CREATE INDEX usage_hours_age_idx ON usage_hours (begins_at);
