import { expect, test } from "vitest";
import { placeIn, placeQuery, placeValues } from "./place";

const place = { document: "doc_1", name: "a & b?.pdf", page: 4, start: 10, end: 42 };

test("a place is read from the query that names it", () => {
  expect(placeIn(`?thread=x&${placeQuery(place)}`)).toEqual(place);
  expect(placeIn(placeQuery({ ...place, page: undefined }))).toEqual({ ...place, page: undefined });
});

test("a query that somebody has written is read as far as it goes", () => {
  expect(placeIn("?page=4&highlight=1-2")).toBeUndefined();
  expect(placeIn("?document=doc_1&page=x&highlight=9")).toEqual({ document: "doc_1", name: "doc_1", page: undefined, start: 0, end: 0 });
});

test("without a place nothing of one stays in the address", () => {
  expect(placeValues()).toEqual({ document: undefined, name: undefined, page: undefined, highlight: undefined });
  expect(placeValues({ ...place, page: undefined })).toEqual({ document: "doc_1", name: "a & b?.pdf", page: undefined, highlight: "10-42" });
});
