package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// nginxConfig is how nginx is commonly set up before a model server: a worker
// for each processor, connections kept to both sides, answers not buffered,
// conversations held in memory. It writes no log at all.
const nginxConfig = `%[1]sdaemon off;
worker_processes auto;
worker_rlimit_nofile 4096;
pid %[2]s/nginx.pid;
error_log %[2]s/error.log warn;
events { worker_connections 4096; }
http {
    access_log off;
    client_body_temp_path %[2]s/body;
    proxy_temp_path %[2]s/proxy;
    fastcgi_temp_path %[2]s/fastcgi;
    uwsgi_temp_path %[2]s/uwsgi;
    scgi_temp_path %[2]s/scgi;
    client_body_buffer_size 64k;
    keepalive_requests 1000000000;
    upstream model { server %[3]s; keepalive 1024; keepalive_requests 1000000000; }
    server {
        listen %[4]s;
        location / {
            proxy_pass http://model;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
        }
    }
}
`

// startNginx starts nginx, if it is installed, in a directory of its own.
func startNginx(ctx context.Context, s startOptions) (*running, error) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx" // not in every user's PATH
		if _, err := os.Stat(program); err != nil {
			return nil, errNotInstalled
		}
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "footnote-bench-nginx-")
	if err != nil {
		return nil, err
	}
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;\n" // other users may not write to the directory
	}
	config := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, user, dir, s.upstream, addr), 0o600); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	cmd := exec.CommandContext(ctx, program, "-p", dir, "-c", config, "-e", filepath.Join(dir, "error.log"))
	cmd.Stderr = os.Stderr
	// SIGQUIT lets nginx end its workers; killed, it would leave them behind.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	r := &running{addr: addr, pid: cmd.Process.Pid, stop: func() error {
		signalErr := cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // its exit status is that of the signal
		return errors.Join(signalErr, os.RemoveAll(dir))
	}}
	if err := waitForListener(ctx, addr); err != nil {
		return nil, errors.Join(err, r.stop())
	}
	return r, nil
}

// freeAddress is an address that is not in use at the moment.
func freeAddress() (string, error) {
	ln, err := listen()
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), ln.Close()
}

// waitForListener waits until an address accepts connections.
func waitForListener(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		c := client{addr: addr}
		err := c.dial()
		c.hangUp()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}
