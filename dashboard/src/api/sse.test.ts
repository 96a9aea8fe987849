import { expect, test } from "vitest";
import { EventParser } from "./sse";

const stream = ': keep-alive\n\nevent: token\nid: 7\ndata: {"a":1}\r\n\r\ndata:x\rdata: y\r\rid: 8\n\ndata: [DONE]\n\n';
const events = [
  { event: "token", id: "7", data: '{"a":1}' },
  { event: "message", id: "7", data: "x\ny" },
  { event: "message", id: "8", data: "[DONE]" },
];

test("events are the same wherever the stream is cut", () => {
  for (let a = 0; a <= stream.length; a++) {
    for (let b = a; b <= stream.length; b++) {
      const parser = new EventParser();
      expect([stream.slice(0, a), stream.slice(a, b), stream.slice(b)].flatMap((s) => parser.push(s))).toEqual(events);
    }
  }
});

test("an event that the stream does not end is none", () => {
  expect(new EventParser().push("data: half\n")).toEqual([]);
});
