package proxy

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/chat"
	"footnote/proxy/control"
)

// withinKey is the key of the context of a request from within the process, whose
// value is an inner.
type withinKey struct{}

// An inner says for whom a request from within the process is.
type inner struct {
	caller    access.Principal
	requestID string // of the client's request that it is part of; "": none
	// entry is what the access log will say of that request; nil: nothing more.
	entry *chat.Entry
}

func innerOf(ctx context.Context) inner {
	in, _ := ctx.Value(withinKey{}).(inner)
	return in
}

// serveWithin answers a request that comes from within this process, in the name of a
// caller who has been authenticated: a chat, also at the address of an assistant, or one
// to the control API.
func (s *Server) serveWithin(w http.ResponseWriter, r *http.Request, caller access.Principal) {
	in := innerOf(r.Context())
	in.caller = caller
	s.within.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), withinKey{}, in)))
}

// asPartOf returns the context of a client's request, so that requests from within
// that are made for it have its id.
func asPartOf(c *gin.Context) context.Context {
	return context.WithValue(c.Request.Context(), withinKey{}, inner{requestID: requestIDOf(c)})
}

// newWithin returns the routes for requests from within the process. They are
// never served to a client.
func (s *Server) newWithin() (http.Handler, error) {
	r := gin.New()
	r.UseRawPath, r.UnescapePathValues = true, false // as for clients
	if err := r.SetTrustedProxies(s.cfg.TrustedProxies); err != nil {
		return nil, err
	}
	r.Use(s.requestID, func(c *gin.Context) {
		if id := innerOf(c.Request.Context()).requestID; id != "" {
			c.Header(apierr.RequestIDHeader, id)
		}
	}, s.recover)
	ask := apierr.Handle(func(c *gin.Context) error {
		in := innerOf(c.Request.Context())
		return s.chat.Complete(c, in.caller, func() *chat.Entry {
			if in.entry == nil {
				return &chat.Entry{}
			}
			return in.entry
		})
	})
	r.POST("/v1/chat/completions", ask)
	r.POST("/assistants/:assistant/v1/chat/completions", ask)
	r.POST("/v1/check", apierr.Handle(func(c *gin.Context) error {
		return s.check.Check(c, innerOf(c.Request.Context()).caller)
	}))
	if s.deps.Control != nil {
		d := s.controlDeps()
		d.Auth = authenticated{}
		control.Register(r, d)
	}
	return r, nil
}

// authenticated is the authenticator for requests from within.
type authenticated struct{}

// Authenticate implements [control.Authenticator].
func (authenticated) Authenticate(ctx context.Context, _ *http.Request) (access.Principal, error) {
	return innerOf(ctx).caller, nil
}
