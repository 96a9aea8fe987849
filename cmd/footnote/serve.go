package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"footnote/cmd/footnote/demo"
	"footnote/proxy"
	"footnote/proxy/front"
)

// A drain says how the server stops.
type drain struct {
	notice time.Duration // first: /readyz answers 503, and requests are still served, until load balancers have noticed
	limit  time.Duration // then: no new requests are accepted, and running ones may end
	last   time.Duration // at last: requests that still run get an error frame
}

var defaultDrain = drain{notice: 5 * time.Second, limit: 30 * time.Second, last: 2 * time.Second}

func (p *program) serveCommand() *cobra.Command {
	var demo bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the server", Args: cobra.NoArgs,
		Long: `Runs the server: the OpenAI API under /v1, the control API under /v1.0, /healthz, /readyz
and /metrics. Everything is kept in the data directory; the first start prints the admin key.

SIGTERM drains: /readyz turns 503 at once, nothing new is accepted after 5 seconds, what still
runs 30 seconds later ends with an error. Give it 45 seconds before you kill it. A second signal
stops at once.`,
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
	proxy.RelaxGC()
	log := p.logger(cfg)
	a, err := openApp(ctx, cfg, log, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s; choose another address with --addr: %w", cfg.Addr, err)
	}
	if err := p.printAccess(ctx, a, ln.Addr(), demo); err != nil {
		return errors.Join(err, ln.Close())
	}
	log.Info("listening", "addr", ln.Addr().String(), "version", version, "upstream", upstreamLabel(cfg), "search", a.searchLabel())

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.run(ctx) })
	g.Go(func() error { a.describeUpstream(ctx); return nil })
	g.Go(func() error { return a.serveProfiles(ctx) })
	if demo {
		a.demoLoading.Store(true)
		g.Go(func() error {
			defer a.demoLoading.Store(false)
			return p.loadDemo(ctx, a, ln.Addr())
		})
	}
	g.Go(func() error {
		defer cancel() // the listener's end is the program's
		return p.listenUntilSignal(ctx, a, ln)
	})
	if err := g.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// printAccess prints the admin key, or where it is, and warns about assistants that
// need no key.
func (p *program) printAccess(ctx context.Context, a *app, at net.Addr, withDemo bool) error {
	secret, err := a.firstAdminKey(ctx)
	switch {
	case err != nil:
		return err
	case secret != "":
		fmt.Fprintf(p.Out, "\nAdmin key, shown this once (keep it; `footnote keys create` makes others):\n\n  %s\n\nThe dashboard, signed in with it:\n\n  %s/welcome#key=%s\n\n", secret, dashboardURL(a.cfg, at), secret)
	case a.cfg.AdminKey != "":
		fmt.Fprintf(p.Out, "Admin key: the one in FOOTNOTE_ADMIN_KEY. The dashboard asks for it: %s\n", dashboardURL(a.cfg, at))
	default:
		fmt.Fprintf(p.Out, "Admin key: the one that was printed at the first start in %s. If it is lost, stop the server and make another:\n"+
			"  footnote keys create --name admin --scope admin\nThe dashboard asks for it: %s\n", a.cfg.DataDir, dashboardURL(a.cfg, at))
	}
	public, err := a.publicAssistants(ctx)
	if withDemo { // its text says that the demo needs no key
		public = slices.DeleteFunc(public, func(slug string) bool { return slug == demo.Slug })
	}
	if len(public) > 0 {
		a.log.Warn("anyone who reaches this server can ask these assistants, without a key (setting public_access)", "assistants", strings.Join(public, " "))
	}
	return err
}

// dashboardURL is where a browser finds the dashboard. What listens on all addresses is
// found on this machine.
func dashboardURL(cfg Config, at net.Addr) string {
	if cfg.PublicURL != "" {
		return strings.TrimRight(cfg.PublicURL, "/")
	}
	host, port, err := net.SplitHostPort(at.String())
	if ip := net.ParseIP(host); err == nil && (ip == nil || ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
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

// listenUntilSignal serves until SIGTERM, SIGINT or the end of ctx, then
// drains. A second signal cuts the drain short, wherever it is.
func (p *program) listenUntilSignal(ctx context.Context, a *app, ln net.Listener) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)

	server := proxy.NewHTTPServer(a.server)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()

	notice := time.Duration(0)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	case sig := <-signals:
		if sig == syscall.SIGTERM { // Ctrl-C must not wait for load balancers
			notice = p.drain.notice
		}
	}
	a.server.Drain()
	a.log.Info("draining", "notice", notice.String(), "limit", p.drain.limit.String())
	wait, cancel := context.WithTimeout(context.Background(), notice+p.drain.limit)
	defer cancel()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-wait.Done():
		}
	}()
	select {
	case <-time.After(notice):
	case <-wait.Done():
	}
	return p.shutdown(wait, a, server)
}

// shutdown stops accepting, waits for the running requests until ctx ends,
// and then ends the others with an error frame.
func (p *program) shutdown(ctx context.Context, a *app, server *front.HTTPServer) error {
	if server.Shutdown(ctx) == nil {
		a.log.Info("stopped")
		return nil
	}
	a.server.Stop()
	last, cancel := context.WithTimeout(context.Background(), p.drain.last)
	defer cancel()
	a.log.Info("stopped", "cut", true)
	if server.Shutdown(last) != nil {
		return server.Close()
	}
	return nil
}
