package blob

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"footnote/assistants"
	"footnote/storage/blob/s3test"
)

const linkType, linkHeader = "application/pdf", "attachment; filename*=utf-8''%E6%97%85%E8%B2%BB%20%28final%29.pdf"

func presign(t *testing.T, s *S3, ttl time.Duration) string {
	t.Helper()
	link, err := s.PresignDownload(t.Context(), testKey, ttl, linkType, linkHeader)
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// open follows a link as a browser does, without a key.
func open(t *testing.T, link string) (status int, header http.Header, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, http.NoBody)
	if err != nil {
		return 0, nil, "" // it is no URL any more
	}
	resp, err := links.Do(req)
	if err != nil {
		return 0, nil, ""
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(raw)
}

var links = http.Client{Transport: &http.Transport{}}

func TestAPresignedLinkIsTheDocumentUnderItsName(t *testing.T) {
	t.Cleanup(links.CloseIdleConnections)
	w := newWorld(t)
	mustPut(t, w.store, "content")
	link := presign(t, w.store, time.Hour)
	status, header, body := open(t, link)
	_, params, err := mime.ParseMediaType(header.Get("Content-Disposition"))
	if status != 200 || body != "content" || err != nil || params["filename"] != "旅費 (final).pdf" || header.Get("Content-Type") != linkType {
		t.Errorf("%d %q %v", status, body, header)
	}
	u, err := url.Parse(link)
	if q := u.Query(); err != nil || q.Get("X-Amz-Expires") != "3600" || q.Get("X-Amz-Algorithm") != "AWS4-HMAC-SHA256" {
		t.Errorf("%s, %v", link, err)
	}
	if u, err := url.Parse(presign(t, w.store, 1000*time.Hour)); err != nil || u.Query().Get("X-Amz-Expires") != "604800" {
		t.Errorf("the longest life: %s, %v", u, err)
	}
	if err := w.store.Delete(t.Context(), testKey); err != nil {
		t.Fatal(err)
	}
	if status, _, body := open(t, link); status != 404 || strings.Contains(body, "content") {
		t.Errorf("after the deletion: %d %s", status, body)
	}
}

func TestAPresignedLinkThatWasChangedInAnyByteIsRefused(t *testing.T) {
	t.Cleanup(links.CloseIdleConnections)
	w := newWorld(t)
	mustPut(t, w.store, "content")
	link := presign(t, w.store, time.Hour)
	if status, _, _ := open(t, link); status != 200 {
		t.Fatal(status)
	}
	begin := len(w.proxy.URL) + 1
	for at := begin; at < len(link); at++ {
		other := byte('7')
		if link[at] == other {
			other = '8'
		}
		changed := link[:at] + string(other) + link[at+1:]
		if status, _, body := open(t, changed); status == 200 || strings.Contains(body, "content") && status < 300 {
			t.Errorf("%d for byte %d of %s", status, at, changed)
		}
	}
	for _, changed := range []string{link + "&response-content-type=text%2Fhtml", strings.Replace(link, "X-Amz-Expires=3600", "X-Amz-Expires=604800", 1), strings.Split(link, "?")[0]} {
		if status, _, _ := open(t, changed); status == 200 {
			t.Errorf("opened: %s", changed)
		}
	}
}

func TestAPresignedLinkEndsWithItsTimeAndItsKey(t *testing.T) {
	t.Cleanup(links.CloseIdleConnections)
	w := newWorld(t)
	const id, secret = "AKIATOBEREVOKED", "a-secret-that-is-revoked-later"
	w.server.AddKey(t, id, secret)
	s := w.reopen(t, func(c *S3Config) { c.AccessKeyID, c.SecretAccessKey = id, secret })
	mustPut(t, s, "content")

	// The link was signed so long ago that it has just ended.
	s.clock.now = func() time.Time { return time.Now().Add(-time.Minute) }
	for ttl, want := range map[time.Duration]int{59 * time.Second: 403, 10 * time.Minute: 200} {
		if status, _, body := open(t, presign(t, s, ttl)); status != want {
			t.Errorf("signed a minute ago for %s: %d %s", ttl, status, body)
		}
	}
	s.clock.now = time.Now
	link := presign(t, s, time.Hour)
	if status, _, _ := open(t, link); status != 200 {
		t.Fatal(status)
	}
	w.server.RevokeKey(t, id)
	if status, _, body := open(t, link); status != 403 || body == "content" {
		t.Errorf("after its key was revoked: %d %s", status, body)
	}
}

// The server's clock decides when a link ends, so links are signed by it.
func TestALinkIsSignedByTheClockOfTheServer(t *testing.T) {
	w := newWorld(t)
	w.shiftClock(10 * time.Minute)
	if err := w.store.ProbeWrite(t.Context()); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(presign(t, w.store, time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := time.Parse("20060102T150405Z", u.Query().Get("X-Amz-Date"))
	if ahead := time.Until(signed); err != nil || ahead < 9*time.Minute || ahead > 11*time.Minute {
		t.Errorf("signed %s ahead, %v", ahead, err)
	}
}

// temporary are keys that end, as those of a role do.
type temporary struct{ end time.Time }

func (k temporary) Retrieve(ctx context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: s3test.KeyID, SecretAccessKey: s3test.Secret, CanExpire: true, Expires: k.end}, ctx.Err()
}

func TestALinkDoesNotPromiseToOutliveItsKeys(t *testing.T) {
	s := openS3(t, "s3://bucket?region=eu-central-1")
	s.keys = temporary{time.Now().Add(2 * time.Minute)}
	u, err := url.Parse(presign(t, s, time.Hour))
	if err != nil || len(u.Query().Get("X-Amz-Expires")) > 3 || u.Host != "bucket.s3.eu-central-1.amazonaws.com" {
		t.Errorf("%s, %v", u, err)
	}
	s.keys = temporary{time.Now()}
	if _, err := s.PresignDownload(t.Context(), testKey, time.Hour, linkType, linkHeader); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
}

func TestLinksCanLeadToAnotherHostThanRequests(t *testing.T) {
	s := openS3(t, s3test.URL("http://minio:9000", "bucket", "p")+"&public_endpoint=https://files.example.com")
	if link := presign(t, s, time.Hour); !strings.HasPrefix(link, "https://files.example.com/bucket/p/"+testKey+"?") {
		t.Error(link)
	}
}

func TestURLsOfDocumentsOnS3(t *testing.T) {
	for address, want := range map[string]Location{
		"s3://bucket": {Bucket: "bucket"},
		"s3://bucket/a/b/?region=eu-central-1&encryption=AES256&storage_class=GLACIER_IR": {Bucket: "bucket", Prefix: "a/b", Region: "eu-central-1", Encryption: "AES256", StorageClass: "GLACIER_IR"},
		"s3://my.bucket/?endpoint=http://minio:9000":                                      {Bucket: "my.bucket", Endpoint: "http://minio:9000", PathStyle: true},
		"s3://bucket?endpoint=https://s3.example.com&path_style=false":                    {Bucket: "bucket", Endpoint: "https://s3.example.com"},
		"s3://bucket?encryption=aws:kms&kms_key_id=k":                                     {Bucket: "bucket", Encryption: "aws:kms", EncryptionKey: "k"},
	} {
		if got, err := ParseS3URL(address); err != nil || got != want {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
	for address, want := range map[string]string{
		"s3:bucket": "write it as s3://", "s3://": "the name of the bucket", "s3://b": "the name of the bucket", "https://s3.example.com/b": "write it as",
		"s3://key:secret@bucket": "set FOOTNOTE_S3_ACCESS_KEY_ID", "s3://bucket/../x": "a prefix of", "s3://bucket/a//b": "a prefix of", "s3://bucket/.hidden": "a prefix of",
		"s3://bucket?regoin=x": "there are endpoint", "s3://bucket?region=": "region has exactly one value", "s3://bucket?region=a&region=b": "region has exactly",
		"s3://bucket?endpoint=minio:9000": "endpoint is an absolute URL", "s3://bucket?endpoint=https://u:secret@h": "endpoint is an absolute URL", "s3://bucket?path_style=maybe": "path_style is",
		"s3://bucket?encryption=rot13": "encryption is one of", "s3://bucket?kms_key_id=secret": "needs encryption", "s3://bucket?storage_class=DEEP_ARCHIVE": "cannot be read at once",
		"s3://bucket#x": "write it as", "s3://bucket?%zz": "name=value",
	} {
		_, err := ParseS3URL(address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

func TestWithoutARegionTheRemedyIsSaid(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_CONFIG_FILE", "/nowhere")
	_, err := NewS3(t.Context(), S3Config{Location: Location{Bucket: "bucket"}, AccessKeyID: "a", SecretAccessKey: "b"})
	if !errors.Is(err, assistants.ErrInvalid) || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Error(err)
	}
	t.Setenv("AWS_PROFILE", "nobody")
	if _, err := NewS3(t.Context(), S3Config{Location: Location{Bucket: "bucket"}}); !errors.Is(err, assistants.ErrInvalid) || !strings.Contains(err.Error(), "AWS_PROFILE") {
		t.Error(err)
	}
}

func TestWithoutKeysTheRemedyIsSaid(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", "/nowhere")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	s := openS3(t, "s3://bucket?endpoint=http://127.0.0.1:1", func(c *S3Config) { c.AccessKeyID, c.SecretAccessKey = "", "" })
	if err := s.Check(t.Context()); !errors.Is(err, assistants.ErrUnavailable) || !strings.Contains(err.Error(), "there are no keys; set FOOTNOTE_S3_ACCESS_KEY_ID") {
		t.Error(err)
	}
}
