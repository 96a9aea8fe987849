function a(e,n,o){const t="What do the documents say?";return[["curl",`curl ${e}/chat/completions \\
  -H "Authorization: Bearer ${o}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${n}", "messages": [{"role": "user", "content": "${t}"}]}'`],["Python",`from openai import OpenAI

client = OpenAI(base_url="${e}", api_key="${o}")
answer = client.chat.completions.create(
    model="${n}",
    messages=[{"role": "user", "content": "${t}"}],
)
print(answer.choices[0].message.content)
for source in answer.citations["sources"]:
    print(source["index"], source["citation"])`],["JavaScript",`import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${e}", apiKey: "${o}" });
const answer = await client.chat.completions.create({
  model: "${n}",
  messages: [{ role: "user", content: "${t}" }],
});
console.log(answer.choices[0].message.content);
for (const source of answer.citations.sources) console.log(source.index, source.citation);`],["Go",`client := openai.NewClient(option.WithBaseURL("${e}"), option.WithAPIKey("${o}"))
answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
	Model:    "${n}",
	Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("${t}")},
})
if err != nil {
	return err
}
fmt.Println(answer.Choices[0].Message.Content)
fmt.Println(answer.JSON.ExtraFields["citations"].Raw())`],["LangChain",`from langchain_openai import ChatOpenAI

# LangChain passes on the text only. The format markdown lists the sources below it.
model = ChatOpenAI(
    base_url="${e}", api_key="${o}", model="${n}",
    default_headers={"X-Footnote-Citation-Format": "markdown"},
)
print(model.invoke("${t}").content)`],["Open WebUI",`# Admin Panel > Settings > Connections > OpenAI API: add
URL  ${e}
Key  ${o}
# The model is called ${n}.`],["LibreChat",`# librechat.yaml
endpoints:
  custom:
    - name: "Footnote"
      apiKey: "${o}"
      baseURL: "${e}"
      models:
        default: ["${n}"]
      headers:
        X-Footnote-Citation-Format: "markdown"`]]}export{a as s};
