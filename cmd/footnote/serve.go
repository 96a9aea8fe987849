package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

const (
	// drainNotice is how long /readyz says 503 before the listener closes, so
	// that balancers look elsewhere first.
	drainNotice = 5 * time.Second
	// drainTime is how long running requests may go on after that.
	drainTime = 30 * time.Second
)

func (p *program) serveCommand() *cobra.Command {
	var demo bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the server", Args: cobra.NoArgs,
		Long: `Runs the server: the OpenAI API under /v1, the control API under /v1.0, /healthz, /readyz
and /metrics. Everything is kept in the data directory; the first start prints the admin key.

SIGTERM drains: /readyz turns 503, running requests may go on for 30 seconds. A second
signal stops at once.`,
		Example: "  footnote serve --demo\n  OPENAI_API_KEY=sk-… footnote serve --addr 0.0.0.0:8080",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			return p.serve(cmd.Context(), cfg, demo)
		},
	}
	cmd.Flags().BoolVar(&demo, "demo", false, "load the sample assistant handbook if the data directory is empty, and print how to ask it")
	return cmd
}

// serve runs the server until a signal or ctx ends it.
func (p *program) serve(ctx context.Context, cfg Config, demo bool) (err error) {
	log := p.logger(cfg)
	a, err := openApp(ctx, cfg, log, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	secret, err := a.firstAdminKey(ctx)
	if err != nil {
		return err
	}
	if secret != "" {
		fmt.Fprintf(p.out, "\nAdmin key, shown this once (keep it; `footnote keys create` makes others):\n\n  %s\n\n", secret)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s; choose another address with --addr: %w", cfg.Addr, err)
	}
	log.Info("listening", "addr", ln.Addr().String(), "version", version, "upstream", upstreamLabel(cfg), "search", "full text")

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.run(ctx) })
	if demo {
		g.Go(func() error { return p.loadDemo(ctx, a, ln.Addr()) })
	}
	g.Go(func() error {
		defer cancel() // the listener's end is the program's
		return listenUntilSignal(ctx, a, ln, log)
	})
	if err := g.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// upstreamLabel names the upstream in the log without what may be secret in it.
func upstreamLabel(cfg Config) string {
	if _, rest, ok := strings.Cut(cfg.UpstreamURL, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		if _, after, ok := strings.Cut(host, "@"); ok {
			host = after
		}
		return host
	}
	return cfg.UpstreamURL
}

// newHTTPServer bounds what a client can hold open before it is known. There
// is no WriteTimeout: streams move their own deadlines.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// listenUntilSignal serves until SIGTERM, SIGINT or the end of ctx, then drains.
func listenUntilSignal(ctx context.Context, a *app, ln net.Listener, log *slog.Logger) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)

	server := newHTTPServer(a.server.Handler(), log)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()

	var sig os.Signal
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	case sig = <-signals:
	}
	a.server.Drain()
	if sig == syscall.SIGTERM {
		log.Info("draining", "notice", drainNotice.String(), "limit", drainTime.String())
		select {
		case <-time.After(drainNotice):
		case <-signals:
			return server.Close()
		}
	}
	return shutdown(a, server, signals, log)
}

// shutdown stops accepting, waits for the running requests, and ends those
// that take too long with an error frame.
func shutdown(a *app, server *http.Server, signals <-chan os.Signal, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := server.Shutdown(ctx)
	if err == nil {
		log.Info("stopped")
		return nil
	}
	a.server.Stop()
	last, cancelLast := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancelLast()
	if server.Shutdown(last) != nil {
		err = server.Close()
	} else {
		err = nil
	}
	log.Info("stopped", "cut", true)
	return err
}
