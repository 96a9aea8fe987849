package tokens

import "strings"

// windows are the context windows of model families, by the longest prefix of
// the model's name. Names are compared in lower case, after the last "/".
var windows = []struct {
	prefix string
	tokens int
}{
	{"footnote-extractive", 128_000},
	{"gpt-3.5-turbo", 16_385},
	{"gpt-3.5-turbo-instruct", 4_096},
	{"gpt-4", 8_192},
	{"gpt-4-32k", 32_768},
	{"gpt-4-turbo", 128_000},
	{"gpt-4-0125", 128_000},
	{"gpt-4-1106", 128_000},
	{"gpt-4o", 128_000},
	{"chatgpt-4o", 128_000},
	{"gpt-4.1", 1_047_576},
	{"gpt-4.5", 128_000},
	{"gpt-5", 400_000},
	{"gpt-oss", 131_072},
	{"o1", 200_000},
	{"o1-mini", 128_000},
	{"o1-preview", 128_000},
	{"o3", 200_000},
	{"o4-mini", 200_000},
	{"claude-2", 100_000},
	{"claude", 200_000},
	{"gemini-1.5-pro", 2_097_152},
	{"gemini", 1_048_576},
	{"gemma-2", 8_192},
	{"gemma-3", 131_072},
	{"llama-2", 4_096},
	{"llama-3", 8_192},
	{"llama-3.1", 131_072},
	{"llama-3.2", 131_072},
	{"llama-3.3", 131_072},
	{"llama-4", 1_048_576},
	{"mistral-7b", 32_768},
	{"mistral-large", 131_072},
	{"mistral-small", 32_768},
	{"mistral-nemo", 131_072},
	{"mixtral-8x7b", 32_768},
	{"mixtral-8x22b", 65_536},
	{"deepseek", 65_536},
	{"qwen2", 32_768},
	{"qwen2.5", 32_768},
	{"qwen3", 32_768},
	{"phi-3", 4_096},
	{"phi-4", 16_384},
	{"command-r", 131_072},
	{"grok-2", 131_072},
	{"grok-3", 131_072},
	{"grok-4", 262_144},
}

// ContextWindow returns how many tokens a known model reads, its answer
// included; ok is false for others. Versions and providers' prefixes do not
// matter: "openai/gpt-4o-2024-08-06" is "gpt-4o".
func ContextWindow(model string) (tokens int, ok bool) {
	name := strings.ToLower(model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	longest := 0
	for _, w := range windows {
		if len(w.prefix) > longest && hasFamily(name, w.prefix) {
			longest, tokens = len(w.prefix), w.tokens
		}
	}
	return tokens, longest > 0
}

// hasFamily reports whether name is family or a variant of it: "gpt-4" has the
// variant "gpt-4-0613" but not "gpt-40" or "gpt-4.9".
func hasFamily(name, family string) bool {
	rest, ok := strings.CutPrefix(name, family)
	if !ok || rest == "" {
		return ok
	}
	c := rest[0]
	isVersion := c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9'
	return !isVersion && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z')
}
