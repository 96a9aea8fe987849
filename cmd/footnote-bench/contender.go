package main

import (
	"context"
)

// A contender is a program between client and upstream.
type contender struct {
	name   string
	title  string
	verify string // how its answers are checked
	start  func(ctx context.Context, s site) (*running, error)
}

// A site is what contenders are started with.
type site struct {
	upstream string // address of the scripted upstream
	footnote string // path of the program
}

// A running contender.
type running struct {
	addr  string
	key   string // of the requests; "" for none
	pid   int    // 0: there is no process between
	child *child // nil: not a process of ours
	stop  func() error
}

func (r *running) allocations() (a allocations, err error) {
	if r.child != nil {
		err = r.child.call("allocations", nil, &a)
	}
	return a, err
}

// Names of contenders that are spoken of elsewhere.
const (
	nameDirect    = "direct"
	nameReverse   = "reverseproxy"
	nameRoomy     = "reverseproxy-roomy"
	nameDecoding  = "decoding"
	nameNginx     = "nginx"
	nameFootnote  = "footnote"
	nameUnchecked = "footnote-unchecked"
	nameServe     = "serve"
)

// contenders are all there are, in the order of the table.
var contenders = []contender{
	{nameDirect, "no proxy", verifyVerbatim, startDirect},
	{nameReverse, "httputil.ReverseProxy", verifyVerbatim, startOf(nameReverse)},
	{nameRoomy, "the same with Footnote's roomy heap", verifyVerbatim, startOf(nameRoomy)},
	{nameNginx, "nginx", verifyVerbatim, startNginx},
	{nameFootnote, "Footnote, retrieval stubbed", verifySpliced, startOf(nameFootnote)},
	{nameUnchecked, "the same without the support check", verifySpliced, startOf(nameUnchecked)},
	{nameDecoding, "Footnote's work through encoding/json", verifyDecoded, startOf(nameDecoding)},
	{nameServe, "footnote serve, real retrieval", verifySpliced, startServe},
}

// startDirect stands for no proxy at all: latencies are compared with it.
func startDirect(_ context.Context, s site) (*running, error) {
	return &running{addr: s.upstream, stop: func() error { return nil }}, nil
}

// startOf starts a role of this program.
func startOf(role string) func(context.Context, site) (*running, error) {
	return func(ctx context.Context, s site) (*running, error) {
		c, err := startChild(ctx, role, s.upstream)
		if err != nil {
			return nil, err
		}
		return &running{addr: c.hello.Addr, key: c.hello.Key, pid: c.pid(), child: c, stop: c.stop}, nil
	}
}
