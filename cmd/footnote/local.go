package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"footnote/proxy"
	"footnote/proxy/access"
)

// lastHandlers is how long handlers may go on after the command has its answers: they
// complete the audit log.
const lastHandlers = 5 * time.Second

// serveHere runs a server on the data directory inside this process, for the
// commands that were given no --url. The key has every scope, is known to this
// process only and is gone when end stops the server.
func (p *program) serveHere(ctx context.Context) (address, key string, end func() error, err error) {
	cfg, err := p.config()
	if err != nil {
		return "", "", nil, err
	}
	cfg.LogLevel = "error" // the command reports the rest itself
	key, _ = access.NewKey()
	a, err := openApp(ctx, cfg, p.logger(cfg), key)
	if err != nil {
		return "", "", nil, err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", nil, errors.Join(err, a.close())
	}
	server := proxy.NewHTTPServer(a.server)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 2)
	go func() { done <- server.Serve(ln) }()
	go func() { done <- a.run(ctx) }()
	end = func() error {
		cancel()
		wait, stop := context.WithTimeout(context.Background(), lastHandlers)
		defer stop()
		var errs []error
		if server.Shutdown(wait) != nil {
			errs = append(errs, server.Close())
		}
		for range 2 {
			if err := <-done; err != nil && !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, context.Canceled) {
				errs = append(errs, err)
			}
		}
		return errors.Join(append(errs, a.close())...)
	}
	return "http://" + ln.Addr().String(), key, end, nil
}
