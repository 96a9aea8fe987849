-- The shortest job of all collections is found without reading all of them.

-- +goose Up
CREATE INDEX jobs_shortest_idx ON jobs (priority, place);
