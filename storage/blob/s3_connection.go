package blob

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// An impatientConn ends when nothing was sent or received for s3Silence. The time
// that a whole transfer takes does not matter. While a request is sent, the transport
// already waits for its answer, so writing gives reading more time, too.
type impatientConn struct{ net.Conn }

func (c *impatientConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(s3Silence)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *impatientConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(s3Silence)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// A clock is that of the S3 server: its times decide when a link expires and how old
// an object is.
type clock struct {
	now   func() time.Time // of this machine
	ahead atomic.Int64     // by how many nanoseconds the server's clock is ahead of it
}

// Now is the time of the server, as far as it is known.
func (c *clock) Now() time.Time { return c.now().Add(time.Duration(c.ahead.Load())) }

const (
	// smallSkew is what is no difference between two clocks: the server's time is
	// given in whole seconds, and underway for a while.
	smallSkew = 2 * time.Second
	// slowAnswer is an answer that says too little about the clock.
	slowAnswer = 2 * time.Second
	// clockMargin is more than the server's time can be off.
	clockMargin = smallSkew + slowAnswer + time.Second
)

// watch learns the server's time from its answers.
func (c *clock) watch(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		sent := c.now()
		resp, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		// An answer from a cache says nothing about the clock.
		if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil && resp.Header.Get("Age") == "" && c.now().Sub(sent) < slowAnswer {
			ahead := date.Sub(sent)
			if ahead.Abs() < smallSkew+slowAnswer {
				ahead = 0
			}
			c.ahead.Store(int64(ahead))
		}
		return resp, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A clockedPresigner signs links at the server's time, which decides when they end.
type clockedPresigner struct{ clock *clock }

// PresignHTTP implements [s3.HTTPPresignerV4].
func (p clockedPresigner) PresignHTTP(ctx context.Context, keys aws.Credentials, r *http.Request, hash, service, region string,
	_ time.Time, options ...func(*v4.SignerOptions),
) (string, http.Header, error) {
	return v4.NewSigner().PresignHTTP(ctx, keys, r, hash, service, region, p.clock.Now(), options...)
}
