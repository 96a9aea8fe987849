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
// the repository. Every run asks the SDKs of OpenAI and go-openai. The frameworks
// and the older openai-python are asked where FOOTNOTE_TEST_FRAMEWORKS=sample is
// set, as in CI, and in all formats with the build tag nightly.
//
// FOOTNOTE_TEST_PROGRAM names a program that is built already; without it the
// tests build one. Run them with -count=1 then: go test does not see what the
// program was built from, and would repeat the result of an older one.
package conformance
