package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/spf13/cobra"
)

// healthTimeout bounds a request to /readyz, whose slowest probe takes five seconds.
const healthTimeout = 8 * time.Second

func (p *program) healthCommand() *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Report whether the server on this machine is ready", Args: cobra.NoArgs,
		Long: `Asks /readyz of the server that listens on this machine at the configured address. Exit status 1
when the server is not ready or does not answer. Containers use it as their health check, because
their image has no other program.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			if err := askReady(cmd.Context(), localAddress(cfg.Addr)); err != nil {
				return err
			}
			fmt.Fprintln(p.Out, "ready")
			return nil
		},
	}
}

// localAddress is the address at which a server that listens on addr is reached from
// this machine. If addr stands for all addresses, that is the loopback address.
func localAddress(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr // Validate refuses it before
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "" || err == nil && ip == netip.IPv4Unspecified():
		host = "127.0.0.1"
	case err == nil && ip == netip.IPv6Unspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}

// askReady returns why the server at an address is not ready, or nil.
func askReady(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	// No proxy of the environment stands between a machine and itself.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return fmt.Errorf("the server's answer breaks off: %w", err)
	}
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	var answer struct{ Error struct{ Message string } }
	if json.Unmarshal(raw, &answer) != nil || answer.Error.Message == "" {
		return fmt.Errorf("the server at %s answered %s", address, resp.Status)
	}
	return fmt.Errorf("the server is not ready: %s", answer.Error.Message)
}
