package blob

import (
	"context"
	"errors"

	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"footnote/storage/blob/blobtest"
	"footnote/storage/blob/s3test"
)

func TestS3KeepsTheContract(t *testing.T) {
	if address := os.Getenv(s3test.Variable); address != "" {
		blobtest.Run(t, func(t *testing.T) blobtest.Store { return openEmptied(t, address) })
		return
	}
	server := s3test.Start(t)
	blobtest.Run(t, func(t *testing.T) blobtest.Store {
		bucket := server.Bucket(t)
		t.Cleanup(func() { server.RemoveBucket(t, bucket) })
		return openS3(t, s3test.URL(server.Endpoint, bucket, "a/prefix"))
	})
}

// openEmptied opens a bucket that the tests do not own, and removes what is in it
// when the test ends.
func openEmptied(t *testing.T, address string) *S3 {
	t.Helper()
	l, err := ParseS3URL(address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewS3(t.Context(), S3Config{Location: l, SpoolDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context()) // which has ended by now
		err := s.Each(ctx, farFuture, func(key string) error { return s.Delete(ctx, key) })
		if err := errors.Join(err, s.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// impatient retries at once.
func impatient(o *s3.Options) {
	o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = s3Attempts, time.Millisecond })
}

// openS3 opens documents on a server of the tests.
func openS3(t *testing.T, address string, change ...func(*S3Config)) *S3 {
	t.Helper()
	l, err := ParseS3URL(address)
	if err != nil {
		t.Fatal(err)
	}
	cfg := S3Config{Location: l, AccessKeyID: s3test.KeyID, SecretAccessKey: s3test.Secret, SpoolDir: t.TempDir(), options: []func(*s3.Options){impatient}}
	for _, c := range change {
		c(&cfg)
	}
	s, err := NewS3(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// farFuture is later than all blobs were written.
var farFuture = time.Unix(1<<40, 0)
