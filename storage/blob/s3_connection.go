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
// that a whole transfer takes does not matter.
type impatientConn struct{ net.Conn }

func (c *impatientConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(s3Silence)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *impatientConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(s3Silence)); err != nil {
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

// smallSkew is what is no difference between two clocks: the server's time is given
// in whole seconds, and underway for a while.
const smallSkew = 2 * time.Second

// watch learns the server's time from its answers.
func (c *clock) watch(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		sent := c.now()
		resp, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		// A slow answer says little about the clock, and so does one from a cache.
		if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil && resp.Header.Get("Age") == "" && c.now().Sub(sent) < s3Silence {
			ahead := date.Sub(sent)
			if ahead.Abs() < smallSkew+c.now().Sub(sent) {
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
