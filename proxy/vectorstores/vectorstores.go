// Package vectorstores speaks OpenAI's API of files and vector stores, so that an
// application that uses OpenAI's file search needs only another base URL. A file is a
// document and a vector store a collection: both have one id in both APIs. A file that is
// in no vector store is in the tenant's assistants.FilesCollection.
//
// It obeys one rule: what it cannot do is an error that says so, and never ignored. It
// knows no database, no index and no search engine; its caller passes them in behind the
// interfaces of this package.
package vectorstores

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/forms"
	"footnote/proxy/front"
	"footnote/proxy/search"
)

// Documents keeps the documents that files are. Methods that take an id return ErrNotFound
// when it is absent or belongs to another tenant; every error may wrap ErrUnavailable.
type Documents interface {
	Document(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error)
	// FindDocuments lists the documents of a collection, "" for all of the tenant. A
	// FieldError on "after": the list has no such item.
	FindDocuments(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID, q assistants.DocumentQuery, list assistants.List) (assistants.Listing[assistants.Document], error)
	// DocumentsByID returns those of the named documents that exist, in no order.
	DocumentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error)
	// UpdateDocument applies change in a transaction and returns its error as it is.
	UpdateDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, change func(*assistants.Document) error) (assistants.Document, error)
	// MoveDocument moves a document unless check refuses it. ErrConflict, as a FieldError:
	// it is attached to a mail or being processed, or the collection has its path, or the
	// bytes of what is attached to it; with ErrSameBytes, the collection has its bytes.
	MoveDocument(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, to assistants.CollectionID, check func(assistants.Document) error) (assistants.Document, error)
	DeleteDocumentIf(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID, check func(assistants.Document) error) error
	// LiveText returns ErrNotFound while no version is live.
	LiveText(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Text, error)
}

// Collections keeps the collections that vector stores are. Errors as in [Documents].
type Collections interface {
	// Collections returns those of the named collections that exist.
	Collections(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) ([]assistants.Collection, error)
	// FindCollections lists all but the tenant's FilesCollection. A FieldError on "after"
	// as in FindDocuments.
	FindCollections(ctx context.Context, tenant assistants.TenantID, list assistants.List) (assistants.Listing[assistants.Collection], error)
	// CollectionFiles may leave out collections without documents.
	CollectionFiles(ctx context.Context, tenant assistants.TenantID, ids []assistants.CollectionID) (map[assistants.CollectionID]assistants.CollectionFiles, error)
	// CreateCollection returns ErrConflict when there is one with that id.
	CreateCollection(ctx context.Context, c assistants.Collection) error
	// UpdateCollectionIf and DeleteCollectionIf return ErrConflict for a collection that
	// an assistant owns, and DeleteCollectionIf for one that assistants read.
	UpdateCollectionIf(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, change assistants.CollectionChange, check func(assistants.CollectionState) error) (assistants.Collection, error)
	// SetMetadata is for every collection.
	SetMetadata(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, metadata map[string]string) (assistants.Collection, error)
	DeleteCollectionIf(ctx context.Context, tenant assistants.TenantID, id assistants.CollectionID, check func(assistants.CollectionState) error) error
	// FindAssistants finds those that read a collection.
	FindAssistants(ctx context.Context, tenant assistants.TenantID, q assistants.AssistantQuery, list assistants.List) (assistants.Listing[assistants.Assistant], error)
}

// Batches keeps the batches of files, for a day. They are stored as requests that have
// been answered: the answer is the batch.
type Batches interface {
	ReserveRequest(ctx context.Context, r assistants.IdempotentRequest, now time.Time) (stored assistants.IdempotentRequest, reserved bool, err error)
	AnswerRequest(ctx context.Context, r assistants.IdempotentRequest) error
	// AnsweredRequest finds a request that has been answered and has not expired; ErrNotFound.
	AnsweredRequest(ctx context.Context, tenant assistants.TenantID, key string, now time.Time) (assistants.IdempotentRequest, error)
}

// Store is the database.
type Store interface {
	Documents
	Collections
	Batches
}

// Library stores uploaded files as documents; its errors are those of control.Library.
type Library interface {
	Add(ctx context.Context, u ingestion.Upload) (d assistants.Document, duplicate bool, err error)
	// Fits checks that new documents can be embedded in the collection's space.
	Fits(ctx context.Context, tenant assistants.TenantID, collection assistants.CollectionID) error
}

// Finder finds passages.
type Finder interface {
	// InOne finds the passages of one collection that the caller may search. ErrNotFound
	// otherwise.
	InOne(ctx context.Context, caller access.Principal, q search.Question) ([]assistants.Hit, error)
}

// Audit keeps who did what.
type Audit interface {
	// Begin stores an event before a change is made. ErrUnavailable: the change must
	// not be made.
	Begin(ctx context.Context, e assistants.AuditEvent) error
	// Record notes an event that has ended, without waiting for the database.
	Record(e assistants.AuditEvent)
}

// Authenticator identifies the sender of a request.
type Authenticator interface {
	// Authenticate returns an anonymous principal for a request without a Footnote key.
	// Errors as access.Authenticator documents them.
	Authenticate(ctx context.Context, r *http.Request) (access.Principal, error)
}

// Deps are the parts that a handler works with. All are required but Audit, Limits, Wake and Now.
type Deps struct {
	Store   Store
	Library Library
	Finder  Finder
	Auth    Authenticator
	// Download answers the control API's request for the file of a document, for a caller
	// within this process.
	Download func(w http.ResponseWriter, r *http.Request, caller access.Principal)
	Front    *front.Front
	Audit    Audit          // nil: nothing is kept
	Limits   *access.Limits // nil: there are none
	Wake     func()         // is called when a job was queued through Store; nil: the worker finds it by polling
	Now      func() time.Time

	MaxUploadBytes int64  // of a file; 0: 100 MiB
	SpoolDir       string // where a file waits until its form is complete
}

// A Handler answers requests about files and vector stores. It is safe for concurrent use.
type Handler struct {
	deps  Deps
	forms forms.Reader
}

const defaultMaxUpload = 100 << 20

// New returns a handler.
func New(d Deps) *Handler {
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Wake == nil {
		d.Wake = func() {}
	}
	if d.MaxUploadBytes <= 0 {
		d.MaxUploadBytes = defaultMaxUpload
	}
	return &Handler{deps: d, forms: forms.Reader{MaxBytes: d.MaxUploadBytes, Dir: d.SpoolDir}}
}

// A route is one row of the table of routes. All of them need an admin's key that is not
// bound to assistants, since files and vector stores belong to the whole tenant; searches
// need the scope search.
type route struct {
	method, path string
	answer       func(*job) (any, error) // nil: it has written its answer
	action       assistants.AuditAction  // of its requests in the audit log; "": they are not in it
}

func (h *Handler) routes() []route {
	const get, post, del = http.MethodGet, http.MethodPost, http.MethodDelete
	return []route{
		{post, "/files", (*job).createFile, assistants.AuditDocumentUpload},
		{get, "/files", (*job).listFiles, ""},
		{get, "/files/:file", (*job).getFile, ""},
		{get, "/files/:file/content", (*job).readFile, ""},
		{del, "/files/:file", (*job).deleteFile, assistants.AuditDocumentDelete},

		{post, "/vector_stores", (*job).createStore, assistants.AuditCollectionCreate},
		{get, "/vector_stores", (*job).listStores, ""},
		{get, "/vector_stores/:store", (*job).getStore, ""},
		{post, "/vector_stores/:store", (*job).updateStore, assistants.AuditCollectionUpdate},
		{del, "/vector_stores/:store", (*job).deleteStore, assistants.AuditCollectionDelete},
		{post, "/vector_stores/:store/search", (*job).search, assistants.AuditSearch},

		{post, "/vector_stores/:store/files", (*job).attach, assistants.AuditDocumentMove},
		{get, "/vector_stores/:store/files", (*job).listAttached, ""},
		{get, "/vector_stores/:store/files/:file", (*job).getAttached, ""},
		{post, "/vector_stores/:store/files/:file", (*job).updateAttached, assistants.AuditDocumentUpdate},
		{del, "/vector_stores/:store/files/:file", (*job).detach, assistants.AuditDocumentMove},
		{get, "/vector_stores/:store/files/:file/content", (*job).readAttached, ""},

		{post, "/vector_stores/:store/file_batches", (*job).createBatch, assistants.AuditDocumentMove},
		{get, "/vector_stores/:store/file_batches/:batch", (*job).getBatch, ""},
		{post, "/vector_stores/:store/file_batches/:batch/cancel", (*job).cancelBatch, ""},
		{get, "/vector_stores/:store/file_batches/:batch/files", (*job).listBatch, ""},
	}
}

// Register adds the routes to r. Each authenticates itself.
func (h *Handler) Register(r gin.IRouter) {
	for _, rt := range h.routes() {
		r.Handle(rt.method, rt.path, apierr.Handle(func(c *gin.Context) error { return h.serve(c, rt) }))
	}
}

// A job is one request: who asks, and what the audit log will say of it.
type job struct {
	*Handler
	c      *gin.Context
	caller access.Principal
	event  assistants.AuditEvent
}

func (j *job) ctx() context.Context { return j.c.Request.Context() }

// serve answers a request if the caller may ask it, and notes it in the audit log: a
// change before it is made, and its end afterwards.
func (h *Handler) serve(c *gin.Context, rt route) (err error) {
	j := &job{Handler: h, c: c}
	if j.caller, err = h.deps.Auth.Authenticate(j.ctx(), c.Request); err != nil {
		return err
	}
	if j.caller.Anonymous { // public assistants are for chats
		return assistants.ErrUnauthorized
	}
	j.event = assistants.AuditEvent{
		ID: assistants.NewAuditID(), TenantID: j.caller.Tenant, CreatedAt: h.deps.Now(), Action: rt.action, Key: j.caller.Key.ID, KeyName: j.caller.Key.Name,
		Address: c.ClientIP(), RequestID: c.Writer.Header().Get(apierr.RequestIDHeader),
	}
	if h.deps.Audit != nil && rt.action != "" {
		j.event.Status, j.event.Code = http.StatusInternalServerError, apierr.CodeInternal // unless the request is answered
		defer func() {
			j.event.Took = h.deps.Now().Sub(j.event.CreatedAt)
			h.deps.Audit.Record(j.event)
		}()
	}
	body, err := j.answer(rt)
	if err != nil {
		j.event.Status, j.event.Code = apierr.StatusAndCode(err)
		j.event.Fields = nil // they may be anything
		return err
	}
	j.event.Status, j.event.Code = http.StatusOK, ""
	if body != nil {
		c.JSON(http.StatusOK, body)
	}
	return nil
}

func (j *job) answer(rt route) (any, error) {
	if err := j.allowed(rt); err != nil {
		return nil, err
	}
	if j.c.Request.URL.RawPath != "" {
		// The path contains an escape such as %2f. No id has one.
		return nil, assistants.ErrNotFound
	}
	for param, prefix := range map[string]string{"file": filePrefix, "store": storePrefix, "batch": batchPrefix} {
		if id, ok := j.c.Params.Get(param); ok && !assistants.IsID(prefix, id) {
			return nil, assistants.ErrNotFound
		}
	}
	if id := j.c.Param("store"); id != "" {
		j.event.Target = id
		if j.storeID() == assistants.FilesCollection(j.caller.Tenant) { // it is no vector store
			return nil, assistants.ErrNotFound
		}
	}
	if id := j.c.Param("file"); id != "" {
		j.event.Documents = []assistants.DocumentID{j.fileID()}
	}
	if j.deps.Audit != nil && rt.action != "" && rt.action != assistants.AuditSearch {
		begun := j.event
		begun.Status, begun.Code = 0, ""
		if err := j.deps.Audit.Begin(j.ctx(), begun); err != nil {
			return nil, err
		}
	}
	return rt.answer(j)
}

// allowed reports whether the key may ask what the route answers.
func (j *job) allowed(rt route) error {
	if rt.action == assistants.AuditSearch {
		return j.caller.Require(assistants.ScopeSearch)
	}
	if err := j.caller.Require(assistants.ScopeAdmin); err != nil {
		return err
	}
	if !j.caller.MaySeeAll() {
		return &assistants.FieldError{Kind: assistants.ErrForbidden,
			Message: "This key is bound to assistants; this request needs one that is not."}
	}
	return nil
}

// Prefixes of ids.
const (
	filePrefix  = "doc_"
	storePrefix = "coll_"
	batchPrefix = "vsfb_"
)

func (j *job) fileID() assistants.DocumentID    { return assistants.DocumentID(j.c.Param("file")) }
func (j *job) storeID() assistants.CollectionID { return assistants.CollectionID(j.c.Param("store")) }
