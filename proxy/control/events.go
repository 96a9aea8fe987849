package control

import (
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/events"
)

// EventTimings say when a stream of events does what.
type EventTimings struct {
	KeepAlive time.Duration // without an event until a comment is sent; 15 s
	Check     time.Duration // between two looks at the key, the counts and the server's state; 1 s
	Gather    time.Duration // between two reads of changes, which make one event for each document; 250 ms
}

func (t EventTimings) withDefaults() EventTimings {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&t.KeepAlive, 15*time.Second)
	set(&t.Check, time.Second)
	set(&t.Gather, 250*time.Millisecond)
	return t
}

// followEvents sends events about documents, the queue and the state of the server as
// they happen, until the client leaves. With follow=false it sends what there is now.
func (a *api) followEvents(c *gin.Context) error {
	follow, err := followOf(c)
	if err != nil {
		return err
	}
	if a.isDraining() {
		return apierr.Draining()
	}
	p := principalOf(c)
	sub, err := a.Events.Follow(p.Tenant, p.Key.ID, c.GetHeader("Last-Event-ID"))
	switch {
	case errors.Is(err, events.ErrKeyBusy):
		return apierr.TooManyStreams()
	case errors.Is(err, events.ErrBusy):
		return apierr.Overloaded()
	case err != nil:
		return err
	}
	defer sub.Close()
	s := &eventStream{api: a, c: c, principal: p, sub: sub, out: http.NewResponseController(c.Writer)}
	if err := s.addPresent(c.Request.Context(), follow); err != nil {
		return err // nothing was sent yet
	}
	s.begin()
	if s.flush() != nil || !follow {
		return nil //nolint:nilerr // the client has left
	}
	s.run(c.Request.Context())
	return nil
}

// followOf reads the parameter follow.
func followOf(c *gin.Context) (bool, error) {
	text, given, err := apierr.QueryOnce(c, "follow")
	if err != nil {
		return false, err
	}
	if given && text != "true" && text != "false" {
		return false, apierr.Invalid("follow", "follow must be true or false.")
	}
	return text != "false", nil
}

func (a *api) isDraining() bool {
	select {
	case <-a.Draining:
		return true
	default:
		return false
	}
}

// A documentEvent is what an event says of a document. A deleted one has only its ids.
type documentEvent struct {
	ID           assistants.DocumentID   `json:"id"`
	CollectionID assistants.CollectionID `json:"collection_id"`
	Deleted      bool                    `json:"deleted,omitempty"`
	Name         string                  `json:"name,omitempty"`
	Status       assistants.Status       `json:"status,omitempty"`
	Searchable   assistants.Searchable   `json:"searchable,omitempty"`
	Progress     *assistants.Progress    `json:"progress,omitempty"`
	Error        *assistants.Cause       `json:"error,omitempty"`
}

func viewEvent(d assistants.Document) documentEvent {
	v := viewDocument(d)
	return documentEvent{
		ID: v.ID, CollectionID: v.CollectionID, Name: v.Name, Status: v.Status, Searchable: v.Searchable, Progress: v.Progress, Error: v.Error,
	}
}

// A queueEvent counts the tenant's documents by state.
type queueEvent struct {
	Documents map[assistants.Status]int `json:"documents"`
}

// A resetEvent says that events were missed.
type resetEvent struct {
	Message string `json:"message"`
}

const resetMessage = "Events were missed: read the lists again."
