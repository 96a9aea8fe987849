// Scenarios on the built-in embedder. Without encoding_format the SDK asks for
// base64 and decodes it.

const { MODEL } = process.env;
const texts = ["A man is eating food.", "The chef cooked dinner for guests."];

async function embed(client, body) {
  const answer = await client.embeddings.create({ model: MODEL, ...body });
  return {
    model: answer.model,
    vectors: answer.data.map((item) => Array.from(item.embedding)),
    tokens: answer.usage.total_tokens,
  };
}

export default (client) => ({
  by_default: () => embed(client, { input: texts }),
  float: () => embed(client, { input: texts, encoding_format: "float", dimensions: 384 }),
  one: () => embed(client, { input: texts[0] }),
  tokens: () => embed(client, { input: [[1, 2, 3]] }),
});
