// Scenarios on files and vector stores, with the SDK's own helpers. Each makes what it
// needs, since all run at once.

import { toFile } from "openai";

const text = (name, content) => toFile(Buffer.from(content), name);

async function all(page) {
  const items = [];
  for await (const item of page) items.push(item);
  return items;
}

export default (client) => {
  const { files, vectorStores } = client;
  const store = (name) => vectorStores.create({ name });
  const upload = async (made, name, content) =>
    vectorStores.files.uploadAndPoll(made.id, await text(name, content), { pollIntervalMs: 50 });

  return {
    async whole() {
      const made = await vectorStores.create({ name: "node whole", metadata: { project: "towns" } });
      const file = await files.create({ file: await text("whole.md", "# Node\n\nThe whole harbour closes at nine.\n"), purpose: "assistants" });
      await files.waitForProcessing(file.id);
      const attributes = { year: 2026, draft: false, town: "Kiel" };
      const attached = await vectorStores.files.createAndPoll(made.id, { file_id: file.id, attributes }, { pollIntervalMs: 50 });
      const found = await all(vectorStores.search(made.id, { query: "When does the harbour close?", max_num_results: 3 }));
      const content = await all(vectorStores.files.content(file.id, { vector_store_id: made.id }));
      const counts = (await vectorStores.retrieve(made.id)).file_counts;
      const raw = await (await files.content(file.id)).text();
      const renamed = await vectorStores.update(made.id, { name: "renamed", metadata: { project: "harbours" } });
      const detached = await vectorStores.files.delete(file.id, { vector_store_id: made.id });
      const kept = await files.retrieve(file.id);
      const gone = await vectorStores.delete(made.id);
      const deleted = await files.delete(file.id);
      return {
        status: attached.status,
        attributes: attached.attributes,
        found: found.map((r) => [r.filename, r.content[0].text, r.score > 0]),
        content: content[0].text,
        raw,
        metadata: [made.metadata, renamed.metadata],
        completed: counts.completed,
        total: counts.total,
        name: renamed.name,
        kept: kept.filename,
        deleted: [detached.deleted, gone.deleted, deleted.deleted],
      };
    },
    async upload_and_poll() {
      const made = await store("node upload");
      const file = await upload(made, "upload.md", "# Node\n\nThe uploaded lighthouse is red.\n");
      return { status: file.status, listed: (await all(vectorStores.files.list(made.id))).map((f) => f.id === file.id) };
    },
    async batch() {
      const made = await store("node batch");
      const three = await Promise.all([0, 1, 2].map((n) => text(`${n}.md`, `# Node\n\nBatch number ${n}.\n`)));
      const ended = await vectorStores.fileBatches.uploadAndPoll(made.id, { files: three }, { pollIntervalMs: 50 });
      const listed = await all(vectorStores.fileBatches.listFiles(ended.id, { vector_store_id: made.id, limit: 2 }));
      return { status: ended.status, completed: ended.file_counts.completed, total: listed.length };
    },
    async failed() {
      const file = await upload(await store("node failed"), "blank.md", " \n \n\n");
      return { status: file.status, code: file.last_error.code, message: file.last_error.message };
    },
    async filtered() {
      const made = await store("node filtered");
      for (const year of [2024, 2025, 2026]) {
        const file = await upload(made, `${year}.md`, `# Node\n\nThe report of the ferries in ${year}.\n`);
        await vectorStores.files.update(file.id, { vector_store_id: made.id, attributes: { year } });
      }
      const filters = {
        type: "or",
        filters: [
          { type: "eq", key: "year", value: 2024 },
          { type: "gt", key: "year", value: 2025 },
        ],
      };
      const found = await all(vectorStores.search(made.id, { query: ["report", "ferries"], filters }));
      return { names: found.map((r) => r.filename).sort() };
    },
    async paged() {
      const made = [];
      for (const n of [0, 1, 2]) made.push((await store(`node page ${n}`)).id);
      const listed = (await all(vectorStores.list({ limit: 1, order: "asc" }))).map((s) => s.id);
      return { names: made.map((id) => listed.includes(id)), twice: new Set(listed).size !== listed.length };
    },
    async second_store() {
      const [first, second] = [await store("node first"), await store("node second")];
      const file = await upload(first, "one.md", "# Node\n\nIn one store only.\n");
      return vectorStores.files.create(second.id, { file_id: file.id });
    },
    missing: () => vectorStores.retrieve("vs_of_another_server"),
    unsupported: () => vectorStores.create({ expires_after: { anchor: "last_active_at", days: 1 } }),
  };
};
