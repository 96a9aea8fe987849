package blob

import (
	"net"
	"net/http"
	"testing"
	"time"
)

// limitedConn notes until when it may read and write.
type limitedConn struct {
	net.Conn
	read, write time.Time
}

func (c *limitedConn) Read([]byte) (int, error)              { return 0, nil }
func (c *limitedConn) Write([]byte) (int, error)             { return 0, nil }
func (c *limitedConn) SetReadDeadline(until time.Time) error { c.read = until; return nil }
func (c *limitedConn) SetDeadline(until time.Time) error {
	c.read, c.write = until, until
	return nil
}

// A transport waits for the answer while it sends the request: a long upload must not
// run into the limit of that wait.
func TestSendingGivesTheAnswerMoreTime(t *testing.T) {
	limited := &limitedConn{}
	conn := &impatientConn{limited}
	if _, err := conn.Read(nil); err != nil || limited.read.IsZero() || !limited.write.IsZero() {
		t.Errorf("after a read: %+v, %v", limited, err)
	}
	limited.read = time.Time{}
	if _, err := conn.Write(nil); err != nil || limited.read.IsZero() || limited.write.IsZero() {
		t.Errorf("after a write: %+v, %v", limited, err)
	}
}

func TestTheServersClockIsLearntFromItsAnswers(t *testing.T) {
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		date  time.Duration // of the answer, after noon
		took  time.Duration
		age   string
		ahead time.Duration
	}{
		"the same":               {0, 0, "", 0},
		"a whole second":         {-900 * time.Millisecond, 0, "", 0},
		"ahead":                  {time.Minute, 0, "", time.Minute},
		"behind":                 {-time.Hour, time.Second, "", -time.Hour},
		"a slow answer":          {time.Hour, time.Minute, "", 0},
		"an answer from a cache": {-time.Hour, 0, "3600", 0},
	} {
		now := noon
		clock := &clock{now: func() time.Time { return now }}
		answer := clock.watch(roundTripper(func(*http.Request) (*http.Response, error) {
			now = now.Add(c.took)
			h := http.Header{"Date": {noon.Add(c.date).Format(http.TimeFormat)}}
			if c.age != "" {
				h.Set("Age", c.age)
			}
			return &http.Response{Header: h, Body: http.NoBody}, nil
		}))
		resp, err := answer.RoundTrip(&http.Request{})
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if got := clock.Now().Sub(now); got.Round(time.Second) != c.ahead {
			t.Errorf("%s: ahead by %s", name, got)
		}
	}
}
