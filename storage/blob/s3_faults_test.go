package blob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"footnote/assistants"
	"footnote/storage/blob/s3test"
)

const testKey = "default/01k9zzzzzzzzzzzzzzzzzzzzzz"

// A world is a bucket on a server behind a proxy.
type world struct {
	server *s3test.Server
	proxy  *s3test.Proxy
	bucket string
	store  *S3
}

func newWorld(t *testing.T, change ...func(*S3Config)) *world {
	t.Helper()
	w := &world{server: s3test.Start(t)}
	w.proxy = s3test.NewProxy(t, w.server.Endpoint)
	w.bucket = w.server.Bucket(t)
	w.store = openS3(t, s3test.URL(w.proxy.URL, w.bucket, "documents"), change...)
	return w
}

// reopen is the same store, opened in another way.
func (w *world) reopen(t *testing.T, change ...func(*S3Config)) *S3 {
	t.Helper()
	return openS3(t, s3test.URL(w.proxy.URL, w.bucket, "documents"), change...)
}

// discreet fails if an error tells what it must not.
func (w *world) discreet(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{w.bucket, w.proxy.URL, strings.TrimPrefix(w.proxy.URL, "http://"), s3test.KeyID, s3test.Secret, "01k9zz", "Signature="} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q tells %q", err, secret)
		}
	}
}

func mustPut(t *testing.T, s *S3, content string) {
	t.Helper()
	if _, _, err := s.Put(t.Context(), testKey, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
}

// readBack reads a blob whole.
func readBack(t *testing.T, s *S3) (string, error) {
	t.Helper()
	f, _, err := s.Open(t.Context(), testKey)
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(f)
	return string(content), errors.Join(err, f.Close())
}

// large is more than two parts.
func large() string { return strings.Repeat("0123456789abcdef", 2*partSize/16) + "the end" }

func TestALargeUploadComesInPartsAndIsCompared(t *testing.T) {
	w := newWorld(t)
	parts := atomic.Int32{}
	w.proxy.Answer(func(rw http.ResponseWriter, r *http.Request, server http.Handler) {
		if r.Method == "PUT" && r.URL.Query().Has("partNumber") {
			if r.Header.Get("X-Amz-Checksum-Sha256") == "" {
				t.Error("a part without its sum")
			}
			if parts.Add(1) == 2 { // its first attempt is lost
				panic(http.ErrAbortHandler)
			}
		}
		server.ServeHTTP(rw, r)
	})
	mustPut(t, w.store, large())
	if n := parts.Load(); n != 4 {
		t.Errorf("%d parts were sent", n)
	}
	if got, err := readBack(t, w.store); err != nil || got != large() {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
	if left := leftovers(t, w.store); len(left) > 0 {
		t.Errorf("unfinished: %q", left)
	}
}

func leftovers(t *testing.T, s *S3) (names []string) {
	t.Helper()
	err := s.Leftovers(t.Context(), func(name string) error { names = append(names, name); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestAFailedUploadLeavesNoParts(t *testing.T) {
	w := newWorld(t)
	for _, broken := range []string{"partNumber", "uploadId"} { // a part, and the end
		w.proxy.Answer(func(rw http.ResponseWriter, r *http.Request, server http.Handler) {
			if q := r.URL.Query(); r.Method != "DELETE" && q.Has(broken) && (broken == "partNumber" || !q.Has("partNumber")) {
				s3test.Fail(rw, 500, "InternalError")
				return
			}
			server.ServeHTTP(rw, r)
		})
		_, _, err := w.store.Put(t.Context(), testKey, strings.NewReader(large()))
		if !errors.Is(err, assistants.ErrUnavailable) {
			t.Fatalf("%s: %v", broken, err)
		}
		w.discreet(t, err)
		w.proxy.Answer(nil)
		if left := leftovers(t, w.store); len(left) > 0 {
			t.Errorf("%s: unfinished: %q", broken, left)
		}
		if _, err := readBack(t, w.store); !errors.Is(err, assistants.ErrNotFound) {
			t.Errorf("%s: %v", broken, err)
		}
	}
	if left := filesBelow(t, w.store.cfg.SpoolDir); len(left) > 0 {
		t.Errorf("in the spool: %q", left)
	}
}

func TestWhatInterruptedUploadsLeftIsSwept(t *testing.T) {
	w := newWorld(t)
	begin := func(key string) {
		if _, err := w.store.client.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: &w.bucket, Key: &key}); err != nil {
			t.Fatal(err)
		}
	}
	begin("documents/" + testKey)
	begin("elsewhere/" + testKey)
	if err := w.store.SweepLeftovers(t.Context(), time.Now().Add(-time.Hour)); err != nil || len(leftovers(t, w.store)) != 1 {
		t.Errorf("a young one was swept: %v", err)
	}
	if err := w.store.SweepLeftovers(t.Context(), time.Now().Add(time.Hour)); err != nil || len(leftovers(t, w.store)) != 0 {
		t.Errorf("an old one is there: %v", err)
	}
	begin("documents/" + testKey)
	if err := w.store.RemoveLeftovers(t.Context()); err != nil || len(leftovers(t, w.store)) != 0 {
		t.Errorf("at the start: %v", err)
	}
	other := openS3(t, s3test.URL(w.proxy.URL, w.bucket, "elsewhere"))
	if left := leftovers(t, other); !slices.Equal(left, []string{testKey}) {
		t.Errorf("of another prefix: %q", left)
	}
}

func TestEachFindsOldBlobsOfThisPrefixOnly(t *testing.T) {
	w := newWorld(t)
	mustPut(t, w.store, "x")
	mustPut(t, openS3(t, s3test.URL(w.proxy.URL, w.bucket, "documents-of-others")), "x")
	if err := w.store.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.store.SetOwner(t.Context(), "me"); err != nil {
		t.Fatal(err)
	}
	each := func(before time.Time) (keys []string) {
		if err := w.store.Each(t.Context(), before, func(key string) error { keys = append(keys, key); return nil }); err != nil {
			t.Error(err)
		}
		return keys
	}
	if keys := each(time.Now().Add(-time.Minute)); len(keys) > 0 {
		t.Errorf("older than a minute: %q", keys)
	}
	if keys := each(time.Now().Add(time.Hour)); !slices.Equal(keys, []string{testKey}) {
		t.Errorf("older than in an hour: %q", keys)
	}
	// The server's clock is behind: what it calls ten minutes old is new.
	w.shiftClock(-10 * time.Minute)
	if _, err := w.store.Owner(t.Context()); err != nil {
		t.Fatal(err)
	}
	if keys := each(time.Now().Add(5 * time.Minute)); len(keys) > 0 {
		t.Errorf("by a clock that is behind: %q", keys)
	}
	stop := errors.New("stop")
	if err := w.store.Each(t.Context(), farFuture, func(string) error { return stop }); err != stop { //nolint:errorlint // identity is the promise
		t.Error(err)
	}
}

// shiftClock makes the server's answers tell another time.
func (w *world) shiftClock(by time.Duration) {
	w.proxy.Answer(func(rw http.ResponseWriter, r *http.Request, server http.Handler) {
		server.ServeHTTP(shifted{rw, by}, r)
	})
}

type shifted struct {
	http.ResponseWriter
	by time.Duration
}

func (s shifted) WriteHeader(status int) {
	s.Header().Set("Date", time.Now().Add(s.by).UTC().Format(http.TimeFormat))
	s.ResponseWriter.WriteHeader(status)
}

func TestABusyServerIsAskedAgain(t *testing.T) {
	w := newWorld(t)
	left := atomic.Int32{}
	w.proxy.Answer(func(rw http.ResponseWriter, r *http.Request, server http.Handler) {
		if left.Add(-1) >= 0 {
			s3test.Fail(rw, 503, "SlowDown")
			return
		}
		server.ServeHTTP(rw, r)
	})
	left.Store(s3Attempts - 1)
	mustPut(t, w.store, "content")
	left.Store(s3Attempts - 1)
	if got, err := readBack(t, w.store); err != nil || got != "content" {
		t.Errorf("%q, %v", got, err)
	}
	left.Store(s3Attempts)
	_, err := readBack(t, w.store)
	if !errors.Is(err, assistants.ErrUnavailable) || !strings.Contains(err.Error(), "SlowDown (status 503)") {
		t.Error(err)
	}
	w.discreet(t, err)
}

func TestABrokenTransferIsResumedWhereItBroke(t *testing.T) {
	w := newWorld(t)
	content := strings.Repeat("0123456789abcdef", 64<<10)
	mustPut(t, w.store, content)
	cuts := atomic.Int32{}
	cut := func(rw http.ResponseWriter, r *http.Request, server http.Handler) {
		if cuts.Add(-1) < 0 {
			server.ServeHTTP(rw, r)
			return
		}
		s3test.Cut(rw, r, server, 300<<10)
	}
	cuts.Store(3)
	w.proxy.Answer(cut)
	if got, err := readBack(t, w.store); err != nil || got != content {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	var ranges []string
	for _, r := range w.proxy.Requests() {
		ranges = append(ranges, r.Header.Get("Range"))
	}
	if len(ranges) != 4 || ranges[0] != "" || slices.Contains(ranges[1:], "") {
		t.Errorf("ranges %q", ranges)
	}
	w.proxy.Answer(func(rw http.ResponseWriter, r *http.Request, server http.Handler) { s3test.Cut(rw, r, server, 0) })
	_, err := readBack(t, w.store)
	if !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
	w.discreet(t, err)
}

func TestOtherBytesThanWereStoredAreAnError(t *testing.T) {
	w := newWorld(t)
	mustPut(t, w.store, "what was stored")
	w.server.Damage(t, w.bucket, "documents/"+testKey)
	if got, err := readBack(t, w.store); !errors.Is(err, assistants.ErrUnavailable) || !strings.Contains(err.Error(), "other bytes") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestABlobThatVanishesWhileItIsReadIsNotFound(t *testing.T) {
	w := newWorld(t)
	mustPut(t, w.store, strings.Repeat("x", 1<<20))
	f, size, err := w.store.Open(t.Context(), testKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Delete(t.Context(), testKey); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(size/2, io.SeekStart); err != nil {
		t.Error(err)
	}
	if _, err := f.Read(make([]byte, 1)); !errors.Is(err, assistants.ErrNotFound) {
		t.Error(err)
	}
	if _, err := f.Seek(-1, io.SeekStart); err == nil {
		t.Error("before the begin")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.Read(make([]byte, 1)); err == nil || err == io.EOF { //nolint:errorlint // the end itself
		t.Error(err)
	}
}

func TestAReaderWhoLeavesEndsTheTransfer(t *testing.T) {
	w := newWorld(t)
	mustPut(t, w.store, strings.Repeat("x", 1<<20))
	left := make(chan struct{})
	w.proxy.Answer(func(rw http.ResponseWriter, r *http.Request, _ http.Handler) {
		rw.Header().Set("Content-Length", "1048576")
		rw.WriteHeader(200)
		_, _ = rw.Write(make([]byte, 1000)) // the rest never comes
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
		close(left)
	})
	ctx, cancel := context.WithCancel(t.Context())
	f, _, err := w.store.Open(ctx, testKey)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(f, make([]byte, 1000)); err != nil {
		t.Error(err)
	}
	cancel()
	if _, err := f.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-left
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// skewedSigner signs with a clock that is wrong.
type skewedSigner struct{ by time.Duration }

func (s skewedSigner) SignHTTP(ctx context.Context, keys aws.Credentials, r *http.Request, hash, service, region string, at time.Time, options ...func(*v4.SignerOptions)) error {
	return v4.NewSigner().SignHTTP(ctx, keys, r, hash, service, region, at.Add(s.by), options...)
}

func TestTheStartSaysWhatIsWrong(t *testing.T) {
	w := newWorld(t)
	if err := w.store.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := w.server.Objects(t, w.bucket); len(left) > 0 {
		t.Errorf("the check left %q", left)
	}
	gone := s3test.NewProxy(t, "http://127.0.0.1:1")
	denied := s3test.NewProxy(t, w.server.Endpoint)
	denied.Answer(func(rw http.ResponseWriter, r *http.Request, server http.Handler) {
		if r.Method == "DELETE" {
			s3test.Fail(rw, 403, "AccessDenied")
			return
		}
		server.ServeHTTP(rw, r)
	})
	moved := s3test.NewProxy(t, w.server.Endpoint)
	moved.Answer(func(rw http.ResponseWriter, _ *http.Request, _ http.Handler) { // as Amazon does for a bucket in another region
		rw.Header().Set("X-Amz-Bucket-Region", "eu-central-1")
		s3test.Fail(rw, 301, "PermanentRedirect")
	})
	for name, c := range map[string]struct {
		change func(*S3Config)
		want   string
	}{
		"an unknown key": {func(c *S3Config) { c.AccessKeyID = "AKIANOBODY" }, "correct FOOTNOTE_S3_ACCESS_KEY_ID"},
		"a wrong secret": {func(c *S3Config) { c.SecretAccessKey = "another-secret" }, "correct FOOTNOTE_S3_SECRET_ACCESS_KEY"},
		"a wrong bucket": {func(c *S3Config) { c.Bucket = "nowhere" }, "there is no such bucket; create it"},
		"a wrong region": {func(c *S3Config) { c.Region = "eu-west-7" }, "correct region="},
		"a wrong clock": {func(c *S3Config) {
			c.options = append(c.options, func(o *s3.Options) { o.HTTPSignerV4 = skewedSigner{-time.Hour} })
		}, "the clock of this machine is wrong"},
		"another region":  {func(c *S3Config) { c.Endpoint = moved.URL }, "correct region="},
		"no server":       {func(c *S3Config) { c.Endpoint = "http://127.0.0.1:1" }, "it cannot be connected to; correct endpoint="},
		"a broken server": {func(c *S3Config) { c.Endpoint = gone.URL }, "the connection broke; correct endpoint="},
		"no such host":    {func(c *S3Config) { c.Endpoint = "http://nowhere.invalid" }, "cannot be resolved; correct endpoint="},
		"no permission":   {func(c *S3Config) { c.Endpoint = denied.URL }, "the keys may not delete there; permit s3:ListBucket"},
	} {
		err := w.reopen(t, c.change).Check(t.Context())
		if !errors.Is(err, assistants.ErrUnavailable) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		w.discreet(t, err)
	}
}

// A bucket that is gone is a broken store. Its documents are not known to be missing.
func TestABucketThatIsGoneIsUnavailable(t *testing.T) {
	w := newWorld(t)
	mustPut(t, w.store, "x")
	w.server.RemoveBucket(t, w.bucket)
	_, openErr := readBack(t, w.store)
	_, _, putErr := w.store.Put(t.Context(), testKey, strings.NewReader("y"))
	for _, err := range []error{openErr, putErr, w.store.Delete(t.Context(), testKey), w.store.ProbeWrite(t.Context())} {
		if !errors.Is(err, assistants.ErrUnavailable) || errors.Is(err, assistants.ErrNotFound) {
			t.Error(err)
			continue
		}
		w.discreet(t, err)
	}
}

func TestDocumentsHaveOneOwner(t *testing.T) {
	w := newWorld(t)
	if id, err := w.store.Owner(t.Context()); id != "" || err != nil {
		t.Error(id, err)
	}
	if err := w.store.SetOwner(t.Context(), "me"); err != nil {
		t.Fatal(err)
	}
	if err := w.store.SetOwner(t.Context(), "you"); !errors.Is(err, assistants.ErrConflict) {
		t.Error(err)
	}
	if id, err := w.store.Owner(t.Context()); id != "me" || err != nil {
		t.Error(id, err)
	}
}

func TestEncryptionAndStorageClassAreAskedFor(t *testing.T) {
	w := newWorld(t)
	s := openS3(t, s3test.URL(w.proxy.URL, w.bucket, "documents")+"&encryption=aws:kms&kms_key_id=one&storage_class=STANDARD_IA")
	mustPut(t, s, "small")
	mustPut(t, s, large())
	asked := 0
	for _, r := range w.proxy.Requests() {
		q := r.URL.Query()
		if r.Method == "GET" || q.Has("uploadId") {
			continue
		}
		asked++
		h := r.Header
		if h.Get("X-Amz-Server-Side-Encryption") != "aws:kms" || h.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id") != "one" || h.Get("X-Amz-Storage-Class") != "STANDARD_IA" {
			t.Errorf("%s %s: %v", r.Method, r.URL, h)
		}
	}
	if asked != 2 {
		t.Errorf("%d objects were begun", asked)
	}
}

// The memory that an upload takes does not depend on its size.
func TestALargeUploadWaitsInAFile(t *testing.T) {
	dir := t.TempDir()
	s, err := fillSpool(dir, io.LimitReader(zeros{}, 3*partSize))
	if err != nil {
		t.Fatal(err)
	}
	if len(filesBelow(t, dir)) != 1 || s.size != 3*partSize || len(s.parts) != 3 || !bytes.Equal(s.parts[0], s.parts[2]) {
		t.Errorf("%d bytes, %d parts, files %q", s.size, len(s.parts), filesBelow(t, dir))
	}
	if err := s.close(); err != nil || len(filesBelow(t, dir)) != 0 {
		t.Error(err)
	}
	if s, err := fillSpool("/nowhere", strings.NewReader("small")); err != nil || s.size != 5 || len(s.parts) != 1 {
		t.Error(err)
	}
	if _, err := fillSpool("/nowhere", io.LimitReader(zeros{}, 1<<20)); err == nil {
		t.Error("a folder that is not there")
	}
}
