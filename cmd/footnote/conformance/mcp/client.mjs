// Uses the server as an agent does, with the TypeScript SDK of the Model Context Protocol.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { BASE_URL, API_KEY, QUESTION, PROGRAM } = process.env;

const overHTTP = (key) =>
  new StreamableHTTPClientTransport(new URL(BASE_URL + "/mcp"), { requestInit: { headers: { Authorization: "Bearer " + key } } });
const overStdio = (key) => new StdioClientTransport({ command: PROGRAM, args: ["mcp", "--url", BASE_URL, "--key", key] });

async function failure(call) {
  try {
    await call;
  } catch (error) {
    return { code: error.code, message: error.message };
  }
  return null;
}

const shown = (result) => ({
  texts: result.content.map((c) => c.text),
  structured: result.structuredContent,
  error: result.isError ?? false,
});

async function use(transport) {
  const client = new Client({ name: "conformance", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  // The client drops a note that comes together with the answer, so they are taken as they arrive.
  const notes = [];
  const onprogress = () => {};
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (message.method === "notifications/progress") {
      const { progress, total, message: text } = message.params;
      notes.push({ progress, total, message: text });
    }
    receive(message, extra);
  };
  const call = async (name, args, options) => shown(await client.callTool({ name, arguments: args }, undefined, options));
  const { resourceTemplates } = await client.listResourceTemplates();
  const { resources } = await client.listResources();
  const handbook = resources.find((r) => r.name === "employee-handbook.pdf").uri;
  const read = async (uri) => (await client.readResource({ uri })).contents[0].text;
  const used = {
    version: transport.protocolVersion ?? "",
    tools: tools.map((tool) => tool.name).sort(),
    schemas: tools.every((tool) => tool.inputSchema && tool.outputSchema),
    templates: resourceTemplates.map((t) => t.uriTemplate).sort(),
    resources: resources.length,
    search: await call("search", { query: QUESTION, limit: 2 }),
    search_with_progress: await call("search", { query: QUESTION, limit: 2 }, { onprogress }),
    ask: await call("ask", { question: QUESTION }),
    ask_with_progress: await call("ask", { question: QUESTION }, { onprogress }),
    progress: notes,
    page: await read(handbook + "/pages/4"),
    whole: await read(handbook),
    wrong_arguments: await call("search", { query: "" }),
    wrong_assistant: await call("ask", { question: QUESTION, assistant: "nobody" }),
    unknown_tool: await failure(client.callTool({ name: "destroy", arguments: {} })),
    unknown_resource: await failure(read(handbook + "/pages/400")),
  };
  await client.close();
  return used;
}

async function refused(transport) {
  const client = new Client({ name: "conformance", version: "1" });
  try {
    await client.connect(transport);
  } catch (error) {
    return { refused: [error.constructor.name], code: error.code };
  } finally {
    await client.close();
  }
  return {};
}

console.log(
  JSON.stringify({
    http: await use(overHTTP(API_KEY)),
    stdio: await use(overStdio(API_KEY)),
    "wrong key": await refused(overHTTP("fn-not-a-key-of-this-server")),
  }),
);
