// Package conformance proves that unchanged OpenAI SDKs work with Footnote:
// its tests build the program, start it with the demo's documents, and drive
// it with openai-node (node/) and openai-python (python/).
//
// It obeys one rule: the program is seen from outside only. It imports nothing
// of this module and holds no code but tests. The SDKs' versions are pinned by
// lock files; they are installed into .cache at the top of the repository.
package conformance
