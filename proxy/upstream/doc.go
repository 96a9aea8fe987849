// Package upstream talks to model servers: any server with OpenAI's chat completions
// API over HTTP, and answerers built into this program (see package extractive).
//
// It obeys three rules. A request is never repeated once a byte of it was sent,
// because the model may have run at somebody's cost. Nothing that identifies the
// client is sent, and no key, host or address of the upstream appears in a message.
// Bodies pass unchanged: this package neither reads prompts nor writes answers.
//
// It must not import gin, gorm or the packages of retrieval and storage.
package upstream
