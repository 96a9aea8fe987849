// Package upstream talks to model servers: any server with OpenAI's chat
// completions API over HTTP, and answerers built into this program (see the
// package extractive).
//
// It obeys three rules. A request is never sent twice once a byte of it has
// left: the model may have run, and somebody pays for it. Nothing of the
// client's identity goes out, and nothing of the upstream's (keys, hosts,
// addresses) comes back in a message. A body is passed on as it is: this
// package neither reads prompts nor writes answers.
//
// It must not import gin, gorm or the packages of retrieval and storage.
package upstream
