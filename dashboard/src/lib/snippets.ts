/** What connects a program to an assistant, by the name of the program or language. */
export function snippets(base: string, slug: string, key: string): [string, string][] {
  const question = "What do the documents say?";
  return [
    ["curl", `curl ${base}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${slug}", "messages": [{"role": "user", "content": "${question}"}]}'`],
    ["Python", `from openai import OpenAI

client = OpenAI(base_url="${base}", api_key="${key}")
answer = client.chat.completions.create(
    model="${slug}",
    messages=[{"role": "user", "content": "${question}"}],
)
print(answer.choices[0].message.content)
for source in answer.citations["sources"]:
    print(source["index"], source["citation"])`],
    ["JavaScript", `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}", apiKey: "${key}" });
const answer = await client.chat.completions.create({
  model: "${slug}",
  messages: [{ role: "user", content: "${question}" }],
});
console.log(answer.choices[0].message.content);
for (const source of answer.citations.sources) console.log(source.index, source.citation);`],
    ["Go", `client := openai.NewClient(option.WithBaseURL("${base}"), option.WithAPIKey("${key}"))
answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
	Model:    "${slug}",
	Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("${question}")},
})
if err != nil {
	return err
}
fmt.Println(answer.Choices[0].Message.Content)
fmt.Println(answer.JSON.ExtraFields["citations"].Raw())`],
    ["LangChain", `from langchain_openai import ChatOpenAI

# LangChain passes on the text only. The format markdown lists the sources below it.
model = ChatOpenAI(
    base_url="${base}", api_key="${key}", model="${slug}",
    default_headers={"X-Footnote-Citation-Format": "markdown"},
)
print(model.invoke("${question}").content)`],
    ["Open WebUI", `# Admin Panel > Settings > Connections > OpenAI API: add
URL  ${base}
Key  ${key}
# The model is called ${slug}.`],
    ["LibreChat", `# librechat.yaml
endpoints:
  custom:
    - name: "Footnote"
      apiKey: "${key}"
      baseURL: "${base}"
      models:
        default: ["${slug}"]
      headers:
        X-Footnote-Citation-Format: "markdown"`],
  ];
}
