import { expect, test } from "vitest";
import { csvAddress, localTime, queryOf, utcTime } from "./audit";
import { expiryAfter, limitsOf, snippetsFor, stateOf, type Key } from "./keys";
import { headerLines, headersOf } from "./upstreams";

test("filters become the query of the API", () => {
  expect(queryOf({ action: "chat", key: "key_a", from: "2026-03-04T12:00:00Z" })).toEqual({ action: ["chat"], key_id: "key_a", from: "2026-03-04T12:00:00Z" });
  expect(queryOf({})).toEqual({});
  expect(csvAddress(queryOf({ action: "key.create", key: "key_a" }))).toBe("/v1.0/audit.csv?action=key.create&key_id=key_a");
});

test("a local time and back is the same minute", () => {
  expect(utcTime(localTime("2026-03-04T12:34:56Z"))).toBe("2026-03-04T12:34:00.000Z");
  expect(localTime("yesterday")).toBe("");
  expect(localTime(undefined)).toBe("");
  expect(utcTime("")).toBeUndefined();
});

test("a revoked key is revoked, also when it has expired", () => {
  const key = { expires_at: "2026-03-04T12:00:00Z", revoked_at: null } as Key;
  const noon = Date.parse("2026-03-04T12:00:00Z");
  expect([stateOf(key, noon - 1), stateOf(key, noon), stateOf({ ...key, revoked_at: "2026-03-01T00:00:00Z" }, noon)]).toEqual(["active", "expired", "revoked"]);
  expect(expiryAfter(7, noon)).toBe("2026-03-11T12:00:00.000Z");
  expect(expiryAfter(0, noon)).toBeNull();
});

test("an empty limit is what the form says it is, and 0 is none", () => {
  expect(limitsOf({ requests_per_minute: "0", tokens_per_minute: " " }, null)).toMatchObject({ requests_per_minute: 0, tokens_per_minute: null, tokens_per_month: null });
});

test("a snippet asks what its key may ask", () => {
  const first = (scopes: Key["scopes"], slug: string): string => snippetsFor(scopes, "http://h", slug, "fn-1")[0]?.[1] ?? "";
  expect(first(["chat", "search"], "a")).toContain("/v1/chat/completions");
  expect(first(["search"], "a")).toContain("/v1/search");
  expect(first(["admin"], "a")).toContain("/v1.0/status");
  expect(first(["chat"], "")).toContain("/v1/models");
});

test("headers are lines", () => {
  expect(headersOf("X-A: b: c\n\n Y :d ")).toEqual({ "X-A": "b: c", Y: "d" });
  expect(headersOf(" \n")).toBeNull();
  expect(headersOf("no colon")).toEqual({ "no colon": "" });
  expect(headerLines({ "X-A": "••••", Y: "d" })).toBe("X-A: ••••\nY: d");
});
