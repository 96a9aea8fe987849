package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// meanings says what each status of an error means, with its codes.
var meanings = map[int]string{
	400: "The request is wrong: `invalid_json`, `duplicate_key`, `missing_required_parameter`, `invalid_type`, `invalid_value`, `unsupported_parameter`, `url_not_allowed`, `not_available` (not built yet), `ambiguous_credentials`.",
	401: "The key is missing, unknown, expired or revoked: `invalid_api_key`.",
	403: "The key may not do this: `permission_denied`.",
	404: "There is no such thing, or the key may not see it: `not_found`, `model_not_found`.",
	408: "The body did not arrive in time: `request_timeout`.",
	409: "It conflicts with what is stored: `conflict`, `idempotency_in_progress`, `embedding_dimension_mismatch`.",
	412: "It was changed since it was read: `precondition_failed`. Read it again.",
	413: "The body is too large: `request_too_large`.",
	415: "The content type, or the kind of file, is not supported: `unsupported_media_type`.",
	416: "The file does not have this range: `invalid_value`.",
	422: "It was understood, but cannot be done: `empty_file`, `idempotency_mismatch`, or a code of a document that cannot be drawn.",
	429: "Too many requests; `Retry-After` says when to try again: `rate_limit_exceeded`, `concurrency_limit_exceeded`, `insufficient_quota` (for this month), or the model server's error.",
	500: "A fault of this server, which is in its log under the request id: `internal_error`, `unknown_document`.",
	502: "The model server failed: `upstream_connect_failed`, `upstream_tls_failed`, `upstream_auth_failed`, `upstream_invalid_response`, `upstream_error`, `citation_mapping_error`, `no_citations`.",
	503: "Not now; `Retry-After` says when to try again: `overloaded`, `draining`, `starting`, `database_unavailable`, `storage_unavailable`, `retrieval_unavailable`, `embedder_unavailable`, `upstream_model_missing`.",
	504: "The model server took too long: `upstream_timeout`, `upstream_first_token_timeout`.",
}

// addErrors adds the errors of each operation, and their descriptions.
func addErrors(paths, responses *object) {
	for _, status := range slices.Sorted(maps.Keys(meanings)) {
		responses.set(strconv.Itoa(status), refusal(meanings[status], ref("schemas/Error")))
		relayed := strconv.Itoa(status) + relayedSuffix
		responses.set(relayed, refusal(meanings[status]+" Or the model server's error, as it came.", newObject()))
	}
	responses.set("other"+relayedSuffix, refusal("Another error of the model server, as it came.", newObject()))
	for _, path := range paths.names {
		item := paths.object(path)
		for _, method := range item.names {
			if method == "parameters" {
				continue
			}
			op := item.object(method)
			statuses := commonErrors(path, op)
			for _, extra := range op.list("x-errors") {
				statuses = append(statuses, extra.(int)) //nolint:forcetypeassert // a test assembles the files
			}
			op.remove("x-errors")
			slices.Sort(statuses)
			suffix := ""
			if _, relays := op.members["x-relays"]; relays {
				op.remove("x-relays")
				suffix = relayedSuffix
			}
			for _, status := range statuses {
				op.object("responses").set(strconv.Itoa(status), ref(fmt.Sprintf("responses/%d%s", status, suffix)))
			}
			if suffix != "" {
				op.object("responses").set("4XX", ref("responses/other"+suffix))
				op.object("responses").set("5XX", ref("responses/other"+suffix))
			}
		}
	}
}

// relayedSuffix marks the errors of operations that return those of the model server as
// they are (x-relays).
const relayedSuffix = "-relayed"

func refusal(description string, schema *object) *object {
	o := newObject()
	o.set("description", description)
	o.object("content").object("application/json").set("schema", schema)
	return o
}

// commonErrors are the statuses that an operation can answer with because of its form:
// its body, its path, and whether it needs a key.
func commonErrors(path string, op *object) []int {
	statuses := []int{500, 503}
	given, open := op.members["security"].([]any)
	open = open && len(given) == 0
	if !open {
		statuses = append(statuses, 400, 401, 403)
	}
	if strings.Contains(path, "{") || len(op.list("parameters")) > 0 && !open {
		statuses = append(statuses, 404)
	}
	if _, body := op.members["requestBody"]; body {
		statuses = append(statuses, 413, 415)
	}
	if !strings.HasPrefix(path, "/v1.0/") && !open { // public assistants have a limit per address
		statuses = append(statuses, 429)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}
