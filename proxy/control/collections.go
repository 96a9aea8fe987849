package control

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
)

// Collections are created and deleted with their assistants, or by themselves to be
// shared. An assistant reads those that it lists in its setting collections.

// A collectionView describes a collection, and the space that its documents are
// embedded in.
type collectionView struct {
	ID   assistants.CollectionID `json:"id"`
	Name string                  `json:"name"`
	// AssistantID is the owner, whose name the collection has. null: it is shared.
	AssistantID *assistants.AssistantID `json:"assistant_id"`
	// Space is null before anything is embedded.
	Space       *assistants.Space       `json:"space"`
	Calibration *assistants.Calibration `json:"calibration,omitempty"` // which cosines score 0 and 1
	Documents   collectionDocuments     `json:"documents"`
	Passages    collectionPassages      `json:"passages"`
	// NeedsReprocess: the server now embeds in another space, so new documents
	// are refused and questions are searched by words only.
	NeedsReprocess bool             `json:"needs_reprocess"`
	Reprocessing   *reprocessedView `json:"reprocessing,omitempty"`
	Synonyms       []string         `json:"synonyms"`
	CreatedAt      time.Time        `json:"created_at"`
}

type collectionDocuments struct {
	Total  int `json:"total"`
	None   int `json:"none"` // counts by the value of searchable
	Text   int `json:"text"`
	Full   int `json:"full"`
	Queued int `json:"queued"` // waiting to be embedded
}

type collectionPassages struct {
	Total    int `json:"total"`
	Embedded int `json:"embedded"`
}

// A reprocessedView is the progress of a re-embedding.
type reprocessedView struct {
	Space          assistants.Space `json:"space"`
	Documents      int              `json:"documents"`
	DocumentsTotal int              `json:"documents_total"`
}

func (a *api) viewCollection(c assistants.Collection, use assistants.CollectionUse) collectionView {
	v := collectionView{
		ID: c.ID, Name: c.Name, Synonyms: append([]string{}, c.Synonyms...), CreatedAt: stamp(c.CreatedAt),
		Documents: collectionDocuments{Total: use.Documents, None: use.Documents - use.Text - use.Full, Text: use.Text, Full: use.Full, Queued: use.Queued},
		Passages:  collectionPassages{Total: use.Passages, Embedded: use.Embedded},
	}
	if c.AssistantID != "" {
		v.AssistantID = &c.AssistantID
	}
	if !c.Space.IsZero() {
		v.Space = &c.Space
	}
	if c.Calibration != (assistants.Calibration{}) {
		v.Calibration = &c.Calibration
	}
	if a.Embedder != nil {
		now := a.Embedder.Status().Space
		v.NeedsReprocess = !now.IsZero() && !c.Takes(now)
	}
	if !c.Next.IsZero() {
		v.Reprocessing = &reprocessedView{Space: c.Next, Documents: use.Next, DocumentsTotal: use.Text + use.Full}
	}
	return v
}

// showCollections answers with collections and their counts.
func (a *api) showCollections(c *gin.Context, items []assistants.Collection) ([]collectionView, error) {
	ids := make([]assistants.CollectionID, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	uses, err := a.Store.CollectionUses(c.Request.Context(), principalOf(c).Tenant, ids)
	if err != nil {
		return nil, err
	}
	views := make([]collectionView, len(items))
	for i, item := range items {
		views[i] = a.viewCollection(item, uses[item.ID])
	}
	return views, nil
}

func (a *api) listCollections(c *gin.Context) error {
	list, err := listOf(c)
	if err != nil {
		return err
	}
	items, next, err := a.Store.ListCollections(c.Request.Context(), principalOf(c).Tenant, list)
	if err != nil {
		return err
	}
	views, err := a.showCollections(c, items)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, pageOf(views, next, func(v collectionView) collectionView { return v }))
	return nil
}

// collection returns the collection that the path names.
func (a *api) collection(c *gin.Context) (assistants.Collection, error) {
	id := c.Param("collection")
	if !assistants.IsID("coll_", id) {
		return assistants.Collection{}, assistants.ErrNotFound
	}
	found, err := a.Store.Collections(c.Request.Context(), principalOf(c).Tenant, []assistants.CollectionID{assistants.CollectionID(id)})
	if err == nil && len(found) == 0 {
		err = assistants.ErrNotFound
	}
	if err != nil {
		return assistants.Collection{}, err
	}
	return found[0], nil
}

func (a *api) getCollection(c *gin.Context) error {
	found, err := a.collection(c)
	if err != nil {
		return err
	}
	return a.showCollection(c, http.StatusOK, found)
}

func (a *api) showCollection(c *gin.Context, status int, item assistants.Collection) error {
	views, err := a.showCollections(c, []assistants.Collection{item})
	if err != nil {
		return err
	}
	if status == http.StatusOK {
		answerTagged(c, tagOf(views[0]), views[0])
	} else {
		c.JSON(status, views[0])
	}
	return nil
}

// reprocessCollection queues the embedding of every live document in the
// embedder's space. The existing vectors answer until all are done. In a
// collection that has that space already, only missing vectors are made.
func (a *api) reprocessCollection(c *gin.Context) error {
	found, err := a.collection(c)
	if err != nil {
		return err
	}
	if a.Embedder == nil {
		return assistants.ErrNoEmbedder
	}
	space, err := a.Embedder.Space(c.Request.Context())
	if err != nil {
		return err
	}
	changed, err := a.Store.Reembed(c.Request.Context(), found.TenantID, found.ID, space)
	if err != nil {
		return err
	}
	a.Wake()
	return a.showCollection(c, http.StatusAccepted, changed)
}
