-- The usage of assistants by hour.

-- +goose Up

-- The chats of an hour with one assistant and one key.
CREATE TABLE usage_hours (
    tenant_id text NOT NULL,
    begins_at datetime NOT NULL, -- the hour
    assistant_id text NOT NULL, -- empty: none
    key_id text NOT NULL, -- empty: none
    requests integer NOT NULL, -- chats
    refused integer NOT NULL, -- for a mistake of the request
    failed integer NOT NULL,
    interrupted integer NOT NULL, -- the client left
    counted integer NOT NULL, -- whose model server told the tokens
    prompt_tokens integer NOT NULL,
    completion_tokens integer NOT NULL,
    first_bytes integer NOT NULL, -- whose answer began
    first_byte_micros integer NOT NULL, -- from requests to first bytes, all together
    first_byte_most integer NOT NULL, -- the longest
    cited integer NOT NULL, -- by the status of their citations
    uncited integer NOT NULL,
    no_sources integer NOT NULL,
    unavailable integer NOT NULL,
    PRIMARY KEY (tenant_id, begins_at, assistant_id, key_id)
);
-- Old hours are removed.
CREATE INDEX usage_hours_age_idx ON usage_hours (begins_at);
