package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"time"
)

// isLoopbackAddress reports whether an address to listen on can be reached from this
// machine only. A name may stand for any address, so it must be a number.
func isLoopbackAddress(s string) bool {
	addr, err := netip.ParseAddrPort(s)
	return err == nil && addr.Addr().IsLoopback()
}

// serveProfiles serves profiles of this process until ctx ends. It does nothing if no
// address is configured. A profile takes processor time and shows which functions run
// and on what, so only this machine can reach its listener.
func (a *app) serveProfiles(ctx context.Context) error {
	if a.cfg.DebugAddr == "" {
		return nil
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", a.cfg.DebugAddr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s for profiles; choose another address with --debug-addr: %w", a.cfg.DebugAddr, err)
	}
	a.log.Info("serving profiles", "url", "http://"+ln.Addr().String()+"/debug/pprof/")
	server := &http.Server{Handler: profiles(), ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn)}
	unhook := context.AfterFunc(ctx, func() { _ = server.Close() }) // a profile that is being made ends with the program
	defer unhook()
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("profiles: %w", err)
	}
	return nil
}

// profiles answers with profiles, as Go's tools ask for them.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A web page can make its own name stand for this address.
		if !isLoopbackAddress(r.Host) {
			http.Error(w, "Ask by the number of the address, such as 127.0.0.1 and the port.", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
