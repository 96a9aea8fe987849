package main

import (
	"net/http"
	"strings"
)

// A need is what a route asks of a key.
type need int

const (
	_              need = iota
	needOpen            // no key is needed
	needChat            // scope chat, and an assistant that the key may see; nothing for public ones
	needModels          // scope chat, and an assistant that the key may see; without a key, public ones
	needEmbeddings      // scope chat or search
	needSearch          // scope search, and an assistant that the key may see
	needReader          // any scope, and an assistant that the key may see
	needAnswer          // any scope, an assistant that the key may see, and scope admin or the key's own answer, which the tests' are not
	needAdmin           // scope admin, and an assistant that the key may see
	needAdminOfAll      // scope admin, not bound to assistants
	needSignature       // no key at all: the path is signed, and the tests' one is not
)

// keyless reports whether no key is looked at.
func (n need) keyless() bool { return n == needOpen || n == needSignature }

// A kind of thing that a request names.
type kind int

const (
	nothing kind = iota
	anAssistant
	aDocument
	aKey
	anUpstream
	aCollection
	aFile  // of its assistant's vector store
	aBatch // the same
	aQuestion
	aRun
	anAnswer
)

// A rule says what a route needs and how it is asked, so that whoever may is
// answered ok. In body and path, $ASSISTANT, $DOCUMENT … stand for what the
// request names, $N for a number that is new each time.
type rule struct {
	need   need
	of     kind
	body   string
	ok     int
	form   bool   // the body is a form with a file
	spends bool   // the request uses up what it names
	header string // a header that names the assistant, in another request of the same route
	query  string // added to the path
	fields string // of the form, as a query
}

const chatBody = `{"model":"$ASSISTANT","messages":[{"role":"user","content":"hi"}]}`

// accessRules holds every route of the server. A new route needs a row here:
// the test fails without.
var accessRules = map[string]rule{
	"GET /healthz":  {need: needOpen, ok: 200},
	"HEAD /healthz": {need: needOpen, ok: 200},
	"GET /readyz":   {need: needOpen, ok: 503}, // nothing brings the index up to date
	"HEAD /readyz":  {need: needOpen, ok: 503},
	"GET /metrics":  {need: needOpen, ok: 200},
	"HEAD /metrics": {need: needOpen, ok: 200},

	"GET /v1.0/openapi.json": {need: needOpen, ok: 200},
	"GET /v1.0/docs":         {need: needOpen, ok: 200},

	"POST /v1/search":                                 {need: needSearch, of: anAssistant, body: `{"query":"When?","assistant":"$ASSISTANT"}`, ok: 200},
	"POST /v1/search/quick":                           {need: needSearch, of: anAssistant, body: `{"query":"When?","assistant":"$ASSISTANT"}`, ok: 200},
	"POST /v1/search/similar":                         {need: needSearch, of: anAssistant, body: `{"chunk_id":"chunk_nowhere","assistant":"$ASSISTANT"}`, ok: 404},
	"POST /v1/search/explain":                         {need: needSearch, of: anAssistant, body: `{"query":"When?","chunk_id":"chunk_nowhere","assistant":"$ASSISTANT"}`, ok: 404},
	"GET /v1/search/collections":                      {need: needSearch, ok: 200},
	"POST /v1/chat/completions":                       {need: needChat, of: anAssistant, body: chatBody, ok: 200, header: "X-Footnote-Assistant"},
	"POST /v1/embeddings":                             {need: needEmbeddings, body: `{"model":"embed-1","input":"hi"}`, ok: 503}, // there is no embedder
	"POST /v1/check":                                  {need: needSearch, of: anAssistant, body: `{"text":"Water is wet.","assistant":"$ASSISTANT"}`, ok: 200},
	"GET /v1/models":                                  {need: needModels, ok: 200},
	"GET /v1/models/*id":                              {need: needModels, of: anAssistant, ok: 200},
	"POST /assistants/:assistant/v1/chat/completions": {need: needChat, of: anAssistant, body: `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, ok: 200},
	"GET /assistants/:assistant/v1/models":            {need: needModels, of: anAssistant, ok: 200},
	"GET /assistants/:assistant/v1/models/*id":        {need: needModels, of: anAssistant, ok: 200},

	"POST /v1/responses":                       {need: needChat, of: anAssistant, body: `{"model":"$ASSISTANT","input":"hi"}`, ok: 200, header: "X-Footnote-Assistant"},
	"POST /assistants/:assistant/v1/responses": {need: needChat, of: anAssistant, body: `{"model":"m","input":"hi"}`, ok: 200},
	"GET /v1/responses/:answer":                {need: needAnswer, of: anAnswer, ok: 200},
	"DELETE /v1/responses/:answer":             {need: needAdmin, of: anAnswer, ok: 200, spends: true},

	"POST /v1/files":                                           {need: needAdminOfAll, form: true, fields: "purpose=assistants", ok: 200},
	"GET /v1/files":                                            {need: needAdminOfAll, ok: 200},
	"GET /v1/files/:file":                                      {need: needAdminOfAll, of: aDocument, ok: 200},
	"GET /v1/files/:file/content":                              {need: needAdminOfAll, of: aDocument, ok: 200},
	"DELETE /v1/files/:file":                                   {need: needAdminOfAll, of: aDocument, ok: 200, spends: true},
	"POST /v1/vector_stores":                                   {need: needAdminOfAll, body: `{"name":"new $N"}`, ok: 200},
	"GET /v1/vector_stores":                                    {need: needAdminOfAll, ok: 200},
	"GET /v1/vector_stores/:store":                             {need: needAdminOfAll, of: aCollection, ok: 200},
	"POST /v1/vector_stores/:store":                            {need: needAdminOfAll, of: aCollection, body: `{"name":"new $N"}`, ok: 200, spends: true}, // an assistant's has its name
	"DELETE /v1/vector_stores/:store":                          {need: needAdminOfAll, of: aCollection, ok: 200, spends: true},
	"POST /v1/vector_stores/:store/search":                     {need: needSearch, of: aCollection, body: `{"query":"When?"}`, ok: 200},
	"POST /v1/vector_stores/:store/files":                      {need: needAdminOfAll, of: aFile, body: `{"file_id":"$FILE"}`, ok: 200},
	"GET /v1/vector_stores/:store/files":                       {need: needAdminOfAll, of: aCollection, ok: 200},
	"GET /v1/vector_stores/:store/files/:file":                 {need: needAdminOfAll, of: aFile, ok: 200},
	"POST /v1/vector_stores/:store/files/:file":                {need: needAdminOfAll, of: aFile, body: `{"attributes":{"year":"$N"}}`, ok: 200},
	"DELETE /v1/vector_stores/:store/files/:file":              {need: needAdminOfAll, of: aFile, ok: 409}, // nothing works on its jobs
	"GET /v1/vector_stores/:store/files/:file/content":         {need: needAdminOfAll, of: aFile, ok: 200},
	"POST /v1/vector_stores/:store/file_batches":               {need: needAdminOfAll, of: aFile, body: `{"file_ids":["$FILE"]}`, ok: 200},
	"GET /v1/vector_stores/:store/file_batches/:batch":         {need: needAdminOfAll, of: aBatch, ok: 200},
	"POST /v1/vector_stores/:store/file_batches/:batch/cancel": {need: needAdminOfAll, of: aBatch, ok: 400}, // its files are in the vector store
	"GET /v1/vector_stores/:store/file_batches/:batch/files":   {need: needAdminOfAll, of: aBatch, ok: 200},

	"POST /mcp": {need: needEmbeddings, body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, ok: 200},

	"POST /v1.0/assistants":                           {need: needAdminOfAll, body: `{"name":"new $N"}`, ok: 201},
	"GET /v1.0/assistants":                            {need: needAdminOfAll, ok: 200},
	"GET /v1.0/assistants/:assistant":                 {need: needAdmin, of: anAssistant, ok: 200},
	"PATCH /v1.0/assistants/:assistant":               {need: needAdmin, of: anAssistant, body: `{"name":"new $N"}`, ok: 200},
	"DELETE /v1.0/assistants/:assistant":              {need: needAdmin, of: anAssistant, ok: 204, spends: true},
	"GET /v1.0/assistants/:assistant/settings":        {need: needAdmin, of: anAssistant, ok: 200},
	"PUT /v1.0/assistants/:assistant/settings":        {need: needAdmin, of: anAssistant, body: `$SETTINGS`, ok: 200},
	"PATCH /v1.0/assistants/:assistant/settings":      {need: needAdmin, of: anAssistant, body: `{"retrieval_top_k":7}`, ok: 200},
	"PUT /v1.0/assistants/:assistant/synonyms":        {need: needAdmin, of: anAssistant, body: `{"synonyms":["capex, capital expenditure"]}`, ok: 200},
	"GET /v1.0/assistants/:assistant/limits":          {need: needAdmin, of: anAssistant, ok: 200},
	"GET /v1.0/assistants/:assistant/documents":       {need: needAdmin, of: anAssistant, ok: 200},
	"POST /v1.0/assistants/:assistant/documents":      {need: needAdmin, of: anAssistant, form: true, ok: 202},
	"POST /v1.0/assistants/:assistant/documents/bulk": {need: needAdmin, of: anAssistant, body: `{"action":"label","documents":["doc_nowhere"],"add":["new"]}`, ok: 200},
	"POST /v1.0/assistants/:assistant/retrieve":       {need: needSearch, of: anAssistant, body: `{"query":"When?"}`, ok: 200},

	"GET /v1.0/assistants/:assistant/eval/questions":         {need: needAdmin, of: anAssistant, ok: 200},
	"POST /v1.0/assistants/:assistant/eval/questions":        {need: needAdmin, of: anAssistant, body: `{"document":"a.txt","question":"When? $N"}`, ok: 201},
	"POST /v1.0/assistants/:assistant/eval/questions/import": {need: needAdmin, of: anAssistant, body: `{"questions":[{"id":"same","document":"a.txt","question":"When?"}]}`, ok: 200},
	"GET /v1.0/eval/questions/:question":                     {need: needAdmin, of: aQuestion, ok: 200},
	"PUT /v1.0/eval/questions/:question":                     {need: needAdmin, of: aQuestion, body: `{"document":"a.txt","question":"When? $N"}`, ok: 200},
	"DELETE /v1.0/eval/questions/:question":                  {need: needAdmin, of: aQuestion, ok: 204, spends: true},
	"GET /v1.0/assistants/:assistant/eval/runs":              {need: needAdmin, of: anAssistant, ok: 200},
	"POST /v1.0/assistants/:assistant/eval/runs":             {need: needAdmin, of: anAssistant, body: `{"answers":false}`, ok: 202, spends: true}, // one at a time
	"GET /v1.0/eval/runs/:run":                               {need: needAdmin, of: aRun, ok: 200},
	"DELETE /v1.0/eval/runs/:run":                            {need: needAdmin, of: aRun, ok: 204, spends: true},
	"GET /v1.0/eval/runs/:run/results":                       {need: needAdmin, of: aRun, ok: 200},
	"GET /v1.0/eval/runs/:run/compare":                       {need: needAdmin, of: aRun, ok: 400}, // with what is not said

	"GET /v1.0/assistants/:assistant/history":            {need: needAdmin, of: anAssistant, ok: 200},
	"DELETE /v1.0/assistants/:assistant/history":         {need: needAdmin, of: anAssistant, query: "?user_id=nobody", ok: 200},
	"GET /v1.0/assistants/:assistant/history.jsonl":      {need: needAdmin, of: anAssistant, ok: 200},
	"GET /v1.0/assistants/:assistant/threads":            {need: needAdmin, of: anAssistant, ok: 200},
	"GET /v1.0/assistants/:assistant/threads/:thread":    {need: needAdmin, of: anAssistant, ok: 200},
	"DELETE /v1.0/assistants/:assistant/threads/:thread": {need: needAdmin, of: anAssistant, ok: 200, spends: true},
	"GET /v1.0/history/:answer":                          {need: needAnswer, of: anAnswer, ok: 200},
	"DELETE /v1.0/history/:answer":                       {need: needAdmin, of: anAnswer, ok: 204, spends: true},
	"PUT /v1.0/history/:answer/feedback":                 {need: needAnswer, of: anAnswer, body: `{"rating":"up"}`, ok: 200},
	"DELETE /v1.0/history/:answer/feedback":              {need: needAnswer, of: anAnswer, ok: 200},
	"PUT /v1.0/history/:answer/verifications/:source":    {need: needAnswer, of: anAnswer, body: `{"result":"confirmed"}`, ok: 200},
	"DELETE /v1.0/history/:answer/verifications/:source": {need: needAnswer, of: anAnswer, ok: 200},

	"GET /v1.0/documents/:document":             {need: needAdmin, of: aDocument, ok: 200},
	"PATCH /v1.0/documents/:document":           {need: needAdmin, of: aDocument, body: `{"labels":["new $N"],"profile":{"kind":"kind $N"}}`, ok: 200},
	"DELETE /v1.0/documents/:document":          {need: needAdmin, of: aDocument, ok: 204, spends: true},
	"PUT /v1.0/documents/:document/file":        {need: needAdmin, of: aDocument, form: true, ok: 202},
	"POST /v1.0/documents/:document/move":       {need: needAdmin, of: aDocument, body: `{"collection_id":"coll_none"}`, ok: 400}, // there is no such collection
	"POST /v1.0/documents/:document/reprocess":  {need: needAdmin, of: aDocument, ok: 202},
	"GET /v1.0/documents/:document/log":         {need: needAdmin, of: aDocument, ok: 200},
	"GET /v1.0/documents/:document/chunks":      {need: needReader, of: aDocument, ok: 200},
	"GET /v1.0/documents/:document/text":        {need: needReader, of: aDocument, ok: 200},
	"GET /v1.0/documents/:document/pages/:page": {need: needReader, of: aDocument, ok: 200},
	"GET /v1.0/documents/:document/download":    {need: needReader, of: aDocument, ok: 200},
	"HEAD /v1.0/documents/:document/download":   {need: needReader, of: aDocument, ok: 200},

	"GET /v1.0/links/*link":  {need: needSignature, of: aDocument, ok: 200},
	"HEAD /v1.0/links/*link": {need: needSignature, of: aDocument, ok: 200},

	"GET /v1.0/labels":           {need: needAdminOfAll, ok: 200},
	"GET /v1.0/tags":             {need: needAdminOfAll, ok: 200},
	"POST /v1.0/keys":            {need: needAdminOfAll, body: `{"name":"new $N","scopes":["chat"]}`, ok: 201},
	"GET /v1.0/keys":             {need: needAdminOfAll, ok: 200},
	"GET /v1.0/keys/:key":        {need: needAdminOfAll, of: aKey, ok: 200},
	"PATCH /v1.0/keys/:key":      {need: needAdminOfAll, of: aKey, body: `{"limits":{"requests_per_minute":1000000}}`, ok: 200},
	"GET /v1.0/keys/:key/limits": {need: needAdminOfAll, of: aKey, ok: 200},
	"DELETE /v1.0/keys/:key":     {need: needAdminOfAll, of: aKey, ok: 204, spends: true},

	"GET /v1.0/collections":                        {need: needAdminOfAll, ok: 200},
	"GET /v1.0/collections/:collection":            {need: needAdminOfAll, of: aCollection, ok: 200},
	"POST /v1.0/collections":                       {need: needAdminOfAll, body: `{"name":"new $N"}`, ok: 201},
	"PATCH /v1.0/collections/:collection":          {need: needAdminOfAll, of: aCollection, body: `{"name":"new $N"}`, ok: 200, spends: true},
	"PUT /v1.0/collections/:collection/synonyms":   {need: needAdminOfAll, of: aCollection, body: `{"synonyms":["capex, capital expenditure"]}`, ok: 200, spends: true},
	"DELETE /v1.0/collections/:collection":         {need: needAdminOfAll, of: aCollection, ok: 204, spends: true},
	"GET /v1.0/collections/:collection/assistants": {need: needAdminOfAll, of: aCollection, ok: 200},
	"GET /v1.0/collections/:collection/documents":  {need: needAdminOfAll, of: aCollection, ok: 200},
	"POST /v1.0/collections/:collection/documents": {need: needAdminOfAll, of: aCollection, form: true, ok: 202},
	"POST /v1.0/collections/:collection/reprocess": {need: needAdminOfAll, of: aCollection, ok: 503}, // no embedder is set up

	"POST /v1.0/upstreams":                 {need: needAdminOfAll, body: `{"name":"new $N","base_url":"http://127.0.0.1:9/v1","api_key":"sk-new"}`, ok: 201},
	"GET /v1.0/upstreams":                  {need: needAdminOfAll, ok: 200},
	"GET /v1.0/upstreams/:upstream":        {need: needAdminOfAll, of: anUpstream, ok: 200},
	"PATCH /v1.0/upstreams/:upstream":      {need: needAdminOfAll, of: anUpstream, body: `{"default_model":"new $N"}`, ok: 200},
	"DELETE /v1.0/upstreams/:upstream":     {need: needAdminOfAll, of: anUpstream, ok: 204, spends: true},
	"GET /v1.0/upstreams/:upstream/health": {need: needAdminOfAll, of: anUpstream, ok: 200},
	"GET /v1.0/upstreams/:upstream/models": {need: needAdminOfAll, of: anUpstream, ok: 200},

	"GET /v1.0/audit":         {need: needAdminOfAll, ok: 200},
	"GET /v1.0/audit.csv":     {need: needAdminOfAll, ok: 200},
	"GET /v1.0/usage":         {need: needAdminOfAll, ok: 200},
	"GET /v1.0/usage/minutes": {need: needAdminOfAll, ok: 200},
	"GET /v1.0/defaults":      {need: needAdmin, ok: 200},
	"GET /v1.0/events":        {need: needAdminOfAll, ok: 200, query: "?follow=false"}, // else it does not end
	"GET /v1.0/status":        {need: needAdminOfAll, ok: 200},
}

// withQuery adds a query, such as "?a=b", to an address that may have one already.
func withQuery(address, query string) string {
	if strings.Contains(address, "?") {
		query = strings.Replace(query, "?", "&", 1)
	}
	return address + query
}

// unsigned is what a link to a document looks like, but for its signature.
func unsigned(document string) string {
	return strings.Repeat("A", 43) + "/default/" + document + "/asst_a/9999999999/a.txt"
}

// want is the status of the answer to a caller that names what belongs to owner.
func (r rule) want(c caller, owner string, public bool) int {
	if r.need == needOpen {
		return r.ok
	}
	if r.need == needSignature {
		return http.StatusForbidden
	}
	if c.wrong {
		return http.StatusUnauthorized
	}
	sees := r.of == nothing || c.sees(owner)
	everybodys := public && (r.of == nothing || c.shares(owner)) // what is public is so within its tenant
	switch r.need {
	case needAnswer:
		sees = sees && c.has("admin")
	case needChat:
		if everybodys {
			return r.ok
		}
	case needModels:
		sees = sees || everybodys
		if c.anonymous && everybodys {
			return r.ok
		}
	}
	switch {
	case c.anonymous:
		return http.StatusUnauthorized
	case r.lacks(c):
		return http.StatusForbidden
	case !sees:
		return http.StatusNotFound
	}
	return r.ok
}

// lacks reports whether a key is not of the kind that the route needs.
func (r rule) lacks(c caller) bool {
	switch r.need {
	case needChat, needModels:
		return !c.has("chat")
	case needEmbeddings:
		return !c.has("chat") && !c.has("search")
	case needSearch:
		return !c.has("search")
	case needAdmin:
		return !c.has("admin")
	case needAdminOfAll:
		return !c.has("admin") || c.bound
	}
	return false
}
