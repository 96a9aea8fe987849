// Package conformance proves that unchanged OpenAI SDKs work with Footnote:
// its tests build the program, start it, and drive it with openai-node (node/),
// two generations of openai-python (python/), openai-go and go-openai, and with
// the frameworks that bring clients of their own: the Vercel AI SDK, LangChain,
// LlamaIndex and litellm. One program serves the demo; others stand before a
// scripted model server (upstream_test.go) and meet every kind of answer, every
// failure, and every format of citations (sights_test.go says who sees what).
//
// It obeys one rule: the program is seen from outside only. It imports nothing
// of this module and holds no code but tests. The SDKs' versions are pinned by
// lock files and go.mod; scripted ones are installed into .cache at the top of
// the repository.
package conformance
