// What the proofs share: the program with its sample, a front that plays a long answer
// and a long list, and what Chromium says of its frames, its tasks and its memory.
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

export const key = "fn-proof-0123456789abcdef0123456789abcdef";

/** Starts the program in a folder of its own. It returns its URL and what ends it. */
export async function program() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "footnote-proof-"));
  const child = spawn(process.env.FOOTNOTE, ["serve", "--demo"], {
    cwd: dir, stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env.PATH, HOME: dir, FOOTNOTE_ADDR: "127.0.0.1:0", FOOTNOTE_LOG_FORMAT: "json", FOOTNOTE_DATA_DIR: path.join(dir, "data"), FOOTNOTE_ADMIN_KEY: key },
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const addr = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const { msg, addr } = line.startsWith("{") ? JSON.parse(line) : {};
      if (msg === "listening") resolve(addr);
    });
    ended.then(() => reject(new Error("the program ended before it listened")));
  });
  const url = `http://${addr}`;
  while (!(await fetch(`${url}/readyz`)).ok);
  return {
    url,
    stop: async () => {
      child.kill();
      await ended;
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Asks the API of a program. */
export async function ask(url, method, at, body) {
  const json = body !== undefined && !(body instanceof FormData);
  const answer = await fetch(url + at, { method, body: json ? JSON.stringify(body) : body, headers: { Authorization: `Bearer ${key}`, ...(json ? { "Content-Type": "application/json" } : {}) } });
  if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** A server in front of the program that answers some paths itself: [method and path, answer]. */
export async function front(url, answers) {
  const server = http.createServer((request, response) => {
    const at = new URL(request.url, url);
    const own = answers.find(([pattern]) => pattern.test(`${request.method} ${at.pathname}`));
    if (own) return own[1](at, response, request);
    const onward = http.request(at, { method: request.method, headers: { ...request.headers, host: new URL(url).host } }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => { server.closeAllConnections(); server.close(); } };
}

/** An answer of four paragraphs with five markers and three sources, in some ninety frames. */
export function longAnswer(_, response, request) {
  request.resume();
  const sentences = Array.from({ length: 20 }, (_, i) => `Sentence ${i} of this answer says **something** of which a reader might ask for the source${i % 4 === 3 ? ` [${(i % 3) + 1}].\n\n` : ". "}`);
  const text = sentences.join("");
  const sources = [1, 2, 3].map((index) => ({ index, document_id: `doc_${index}`, document_name: `document-${index}.pdf`, score: 0.9 - index / 10, excerpt: "A passage of some length that a model was given and a reader may check. ".repeat(6), chunk_index: index, page_number: index, char_start: 0, char_end: 400, citation: `(Source: document-${index}.pdf, page ${index})` }));
  const markers = [...text.matchAll(/\[(\d)\]/g)].map((m) => ({ choice: 0, start: m.index, end: m.index + 3, indices: [Number(m[1])], claim_start: Math.max(0, m.index - 80), claim_end: m.index, support: "supported", quote: { index: Number(m[1]), text: "A passage of some length", char_start: 0, char_end: 24 } }));
  const citations = { status: "cited", sources, referenced_indices: [1, 2, 3], markers, invalid_indices: [], coverage: 1, confidence: 0.8, confidence_percent: 80, confidence_level: "high", confidence_factors: {}, offset_unit: "codepoint" };
  const chunk = (delta, more = {}) => `data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: more.citations ? "stop" : null }], ...more })}\n\n`;
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (const piece of text.match(/.{1,24}/gsu)) response.write(chunk({ content: piece }));
  response.end(chunk({}, { citations }) + "data: [DONE]\n\n");
}

/** A list of so many documents, page by page. */
export function manyDocuments(total) {
  return (at, response) => {
    const from = Number(at.searchParams.get("cursor") ?? 0), limit = Number(at.searchParams.get("limit") ?? 50);
    const data = Array.from({ length: Math.min(limit, total - from) }, (_, i) => ({ id: `doc_${from + i}`, name: `document-${from + i}.pdf`, status: "ready", searchable: "full", pages: 12, chunks: 80, labels: i % 7 ? [] : ["label"], bytes: 123456 + i, created_at: "2026-01-01T00:00:00Z", collection_id: "coll_x", tags: {} }));
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ data, total, next_cursor: from + limit < total ? String(from + limit) : null }));
  };
}

/** A list of a thousand rows without a script. */
export function plainList(_, response) {
  response.writeHead(200, { "Content-Type": "text/html" });
  response.end(`<div class="box" style="height:700px;overflow:auto;font:14px sans-serif">${Array.from({ length: 1000 }, (_, i) => `<div style="height:40px">document-${i}.pdf</div>`).join("")}</div>`);
}

/** Scrolls a box from its top to its bottom as a wheel does, and says what Chromium did meanwhile. */
export async function scrolled(page, selector, distance) {
  const client = await page.context().newCDPSession(page);
  const box = await page.locator(selector).boundingBox();
  const events = [];
  client.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const ended = new Promise((resolve) => client.once("Tracing.tracingComplete", resolve));
  await client.send("Tracing.start", { traceConfig: { includedCategories: ["devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame", "toplevel"] } });
  await client.send("Input.synthesizeScrollGesture", { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2), yDistance: -distance, speed: 6000, gestureSourceType: "mouse" });
  await client.send("Tracing.end");
  await ended;
  const main = events.find((e) => e.name === "thread_name" && e.args.name === "CrRendererMain");
  // The time that a task had a processor: what else the machine does is not the page's.
  const tasks = events.filter((e) => e.ph === "X" && e.pid === main.pid && e.tid === main.tid && /RunTask$/.test(e.name)).map((e) => (e.tdur ?? e.dur) / 1000);
  const frames = (name) => events.filter((e) => e.name === name && e.pid === main.pid).length;
  tasks.sort((a, b) => b - a);
  return { drawn: frames("DrawFrame"), dropped: frames("DroppedFrame"), tasks: tasks.length, over16: tasks.filter((ms) => ms > 16.7).length, over50: tasks.filter((ms) => ms > 50).length, longest: tasks[0] ?? 0, scrolledTo: await page.locator(selector).evaluate((b) => b.scrollTop) };
}

/** The memory of a page after everything that can be was freed. */
export async function memory(page) {
  const client = await page.context().newCDPSession(page);
  for (let i = 0; i < 3; i++) await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await client.send("Memory.getDOMCounters");
  await client.detach();
  return { heap: usedSize / 1e6, nodes, listeners: jsEventListeners };
}

/** A PDF with a line of text on each page. */
export function pdf(pages) {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(" ")}] >>`, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"];
  for (const lines of pages) {
    const text = `BT /F1 10 Tf 60 780 Td 14 TL ${lines.map((l) => `(${l}) Tj T*`).join(" ")} ET`;
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${objects.length + 2} 0 R >>`, `<< /Length ${text.length} >>\nstream\n${text}\nendstream`);
  }
  let out = "%PDF-1.4\n";
  const at = objects.map((o, i) => { const here = out.length; out += `${i + 1} 0 obj\n${o}\nendobj\n`; return here; });
  const xref = out.length;
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${at.map((n) => `${String(n).padStart(10, "0")} 00000 n \n`).join("")}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(out, "latin1");
}
