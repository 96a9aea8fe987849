// Scenarios on responses, with each way to ask that the SDK has.

const { STORE } = process.env;
const question = "How many vacation days do I get per year?";

function shown(response) {
  return {
    id: response.id,
    status: response.status,
    text: response.output_text,
    annotations: response.output[0].content[0].annotations,
    sources: response.citations.sources.length,
    cited: response.citations.status,
    tokens: response.usage.total_tokens,
    stored: response.store,
  };
}

export default ({ responses }) => {
  const ask = (body) => ({ model: "handbook", input: question, ...body });
  return {
    create: async () => shown(await responses.create(ask({ instructions: "Be brief.", temperature: 0, metadata: { a: "b" } }))),
    items: async () =>
      shown(
        await responses.create(
          ask({
            input: [
              { role: "developer", content: "Be brief." },
              { role: "user", content: [{ type: "input_text", text: question }] },
            ],
          }),
        ),
      ),
    async stream() {
      const events = [];
      let final;
      for await (const event of await responses.create(ask({ stream: true }))) {
        if (events.at(-1) !== event.type) events.push(event.type);
        if (event.type === "response.completed") final = event.response;
      }
      // output_text is a convenience of whole responses.
      return { ...shown({ ...final, output_text: final.output[0].content[0].text }), events };
    },
    async helper() {
      let text = "";
      const events = responses.stream(ask());
      for await (const event of events) {
        if (event.type === "response.output_text.delta") text += event.delta;
      }
      return { ...shown(await events.finalResponse()), events: [text] };
    },
    async conversation() {
      const first = await responses.create(ask());
      const second = await responses.create(ask({ input: "And in the first year?", previous_response_id: first.id }));
      const again = await responses.retrieve(second.id);
      await responses.delete(second.id);
      const gone = await responses.retrieve(second.id).catch((error) => error.constructor.name);
      return { ...shown(again), events: [second.previous_response_id === first.id, again.id === second.id, gone] };
    },
    async reference() {
      const first = await responses.create(ask());
      const turns = [
        { role: "user", content: question },
        { type: "item_reference", id: first.output[0].id },
      ];
      return shown(await responses.create(ask({ input: [...turns, { role: "user", content: question }] })));
    },
    file_search: async () =>
      shown(
        await responses.create(
          ask({
            input: "When does the harbour close?",
            tools: [{ type: "file_search", vector_store_ids: [STORE], max_num_results: 3 }],
          }),
        ),
      ),
    unsupported: () => responses.create(ask({ tools: [{ type: "web_search" }] })),
    unsupported_stream: () => responses.create(ask({ stream: true, tools: [{ type: "web_search" }] })),
    picture: () =>
      responses.create(
        ask({ input: [{ role: "user", content: [{ type: "input_image", image_url: "https://example.com/a.png", detail: "auto" }] }] }),
      ),
    missing: () => responses.create(ask({ model: "nobody" })),
    forgotten: () => responses.create(ask({ previous_response_id: "resp_of_another_server" })),
  };
};
