package vectorstores

import (
	"encoding/json"

	"footnote/assistants"
)

// purpose is the only purpose of files.
const purpose = "assistants"

// A fileView is OpenAI's object file.
type fileView struct {
	ID            assistants.DocumentID `json:"id"`
	Object        string                `json:"object"`
	Bytes         int64                 `json:"bytes"`
	CreatedAt     int64                 `json:"created_at"`
	ExpiresAt     *int64                `json:"expires_at"` // never
	Filename      string                `json:"filename"`
	Purpose       string                `json:"purpose"`
	Status        string                `json:"status"`
	StatusDetails *string               `json:"status_details"`
}

// viewFile shows a document as a file. It is processed once it is stored: what reading it
// shows is the status of the vector store's file.
func viewFile(d assistants.Document) fileView {
	return fileView{
		ID: d.ID, Object: "file", Bytes: d.Version.Bytes, CreatedAt: d.CreatedAt.Unix(), Filename: d.Name, Purpose: purpose, Status: "processed",
	}
}

// A deletedView is the answer to a deletion.
type deletedView struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

// A countsView counts the files of a vector store or a batch by their status.
type countsView struct {
	InProgress int `json:"in_progress"`
	Completed  int `json:"completed"`
	Failed     int `json:"failed"`
	Cancelled  int `json:"cancelled"` // always 0
	Total      int `json:"total"`
}

// status is that of a vector store or a batch with these files.
func (v countsView) status() string {
	if v.InProgress > 0 {
		return inProgress
	}
	return completed
}

// Statuses of files, vector stores and batches.
const (
	inProgress = "in_progress"
	completed  = "completed"
	failed     = "failed"
	cancelled  = "cancelled" // never
)

// A storeView is OpenAI's object vector_store.
type storeView struct {
	ID           assistants.CollectionID `json:"id"`
	Object       string                  `json:"object"`
	CreatedAt    int64                   `json:"created_at"`
	Name         string                  `json:"name"`
	UsageBytes   int64                   `json:"usage_bytes"`
	FileCounts   countsView              `json:"file_counts"`
	Status       string                  `json:"status"`
	ExpiresAfter *struct{}               `json:"expires_after"`  // never
	ExpiresAt    *int64                  `json:"expires_at"`     // never
	LastActiveAt *int64                  `json:"last_active_at"` // not recorded
	Metadata     map[string]string       `json:"metadata"`
}

func viewStore(c assistants.Collection, files assistants.CollectionFiles) storeView {
	v := storeView{
		ID: c.ID, Object: "vector_store", CreatedAt: c.CreatedAt.Unix(), Name: c.Name, UsageBytes: files.Bytes, Metadata: c.Metadata,
		FileCounts: countsView{InProgress: files.Total - files.Ready - files.Failed, Completed: files.Ready, Failed: files.Failed, Total: files.Total},
	}
	if v.Metadata == nil {
		v.Metadata = map[string]string{}
	}
	v.Status = v.FileCounts.status()
	return v
}

// An attachedView is OpenAI's object vector_store.file.
type attachedView struct {
	ID               assistants.DocumentID   `json:"id"`
	Object           string                  `json:"object"`
	UsageBytes       int64                   `json:"usage_bytes"`
	CreatedAt        int64                   `json:"created_at"`
	VectorStoreID    assistants.CollectionID `json:"vector_store_id"`
	Status           string                  `json:"status"`
	LastError        *lastError              `json:"last_error"`
	ChunkingStrategy chunkingView            `json:"chunking_strategy"`
	Attributes       map[string]any          `json:"attributes"`
}

type lastError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// A chunkingView says how a file was cut into passages: by the server's own rules.
type chunkingView struct {
	Type string `json:"type"`
}

func viewAttached(d assistants.Document) attachedView {
	v := attachedView{
		ID: d.ID, Object: "vector_store.file", UsageBytes: d.Version.Bytes, CreatedAt: d.CreatedAt.Unix(), VectorStoreID: d.CollectionID,
		Status: statusOf(d), ChunkingStrategy: chunkingView{"other"}, Attributes: attributesOf(d),
	}
	if v.Status == failed {
		v.LastError = &lastError{Code: "invalid_file", Message: "The file could not be read."}
		if d.Cause != nil {
			v.LastError.Message = d.Cause.Message
			if d.Cause.Code == assistants.CodeParserFailed {
				v.LastError.Code = "server_error"
			}
		}
	}
	return v
}

// statusOf is the status of a document as a vector store's file. It is completed once
// it is found by all means that there are.
func statusOf(d assistants.Document) string {
	switch d.Status {
	case assistants.StatusReady:
		return completed
	case assistants.StatusFailed:
		return failed
	}
	return inProgress
}

// statuses are those of the documents that a status of OpenAI selects.
var statuses = map[string][]assistants.Status{
	completed:  {assistants.StatusReady},
	failed:     {assistants.StatusFailed},
	inProgress: {assistants.StatusPending, assistants.StatusExtracting, assistants.StatusChunking, assistants.StatusIndexing, assistants.StatusEmbedding},
}

// attributesOf shows the tags of a document as what they were given. A tag that has
// become something else is a text.
func attributesOf(d assistants.Document) map[string]any {
	all := make(map[string]any, len(d.Tags))
	for key, text := range d.Tags {
		all[key] = text
		isTruth := text == "true" || text == "false"
		switch kind := d.TagTypes[key]; {
		case kind == assistants.TagBoolean && isTruth, kind == assistants.TagNumber && !isTruth && text != "null" && json.Valid([]byte(text)) && text[0] != '"':
			all[key] = json.RawMessage(text)
		}
	}
	return all
}
