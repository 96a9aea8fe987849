package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"footnote/assistants"
)

// checkTime bounds the check at the start.
const checkTime = 30 * time.Second

// ownerName is the object that says to which installation the blobs belong.
const ownerName = ".installation"

// Check does once what the store will do: it writes, reads, lists and deletes. The
// error is one sentence that says what to do, and wraps ErrUnavailable.
func (s *S3) Check(ctx context.Context) error {
	return s.check(ctx, []probe{
		{"list", s.probeList}, {"list", s.probeUploads}, {"write", s.ProbeWrite}, {"read", s.probeRead}, {"delete", s.probeDelete},
	})
}

// CheckReading is [S3.Check] for those who only read. It changes nothing.
func (s *S3) CheckReading(ctx context.Context) error {
	return s.check(ctx, []probe{{"list", s.probeList}, {"read", s.probeOwner}})
}

// A probe is one step of a check.
type probe struct {
	does string
	do   func(context.Context) error
}

func (s *S3) check(ctx context.Context, steps []probe) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	for _, step := range steps {
		if err := step.do(ctx); err != nil {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("%w: the documents' S3 server does not answer in %s: correct the endpoint in FOOTNOTE_BLOB_URL, or see whether the server runs", assistants.ErrUnavailable, checkTime)
			}
			return &startError{remedy(describe(err), step.does, s.cfg.Endpoint != ""), err}
		}
	}
	return nil
}

// A startError is the sentence about a failed check, for people.
type startError struct {
	text  string
	cause error
}

func (e *startError) Error() string { return e.text }

// Unwrap returns the failure.
func (e *startError) Unwrap() error { return e.cause }

// remedy says what to do about a failure at the start.
func remedy(e *s3Error, does string, endpoint bool) string {
	const start = "the documents on S3 cannot be used: "
	switch e.code {
	case "NoSuchBucket":
		return start + "there is no such bucket; create it, or correct its name or its endpoint in FOOTNOTE_BLOB_URL"
	case "InvalidAccessKeyId", "InvalidAccessKeyID":
		return start + "the server does not know the access key; correct FOOTNOTE_S3_ACCESS_KEY_ID or the AWS configuration"
	case "SignatureDoesNotMatch":
		return start + "the secret does not fit the access key; correct FOOTNOTE_S3_SECRET_ACCESS_KEY or the AWS configuration"
	case "ExpiredToken", "InvalidToken", "TokenRefreshRequired":
		return start + "the temporary keys have expired; renew them, or use keys that last"
	case "AccessDenied":
		return start + "the keys may not " + does + " there; permit s3:ListBucket, s3:ListBucketMultipartUploads, s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload"
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException", "InvalidRegionName", "IncorrectEndpoint", "TemporaryRedirect":
		return start + "the bucket is in another region; correct region= in FOOTNOTE_BLOB_URL"
	case codeNoKeys:
		return start + "there are no keys; set FOOTNOTE_S3_ACCESS_KEY_ID and FOOTNOTE_S3_SECRET_ACCESS_KEY, or the AWS configuration of this machine"
	case "RequestTimeTooSkewed":
		return start + "the clock of this machine is wrong; set it"
	case "":
		where := "see whether the network lets this machine reach Amazon"
		if endpoint {
			where = "correct endpoint= in FOOTNOTE_BLOB_URL, or see whether the server runs"
		}
		return start + e.text + "; " + where
	default:
		return start + e.text + "; see its documentation for this code"
	}
}

func (s *S3) probeList(ctx context.Context) error {
	_, err := s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: s.bucket(), Prefix: s.folder(), MaxKeys: aws.Int32(1)})
	return wrapS3(ctx, "probe", err)
}

func (s *S3) probeUploads(ctx context.Context) error {
	_, err := s.client.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: s.bucket(), Prefix: s.folder(), MaxUploads: aws.Int32(1)})
	return wrapS3(ctx, "probe", err)
}

func (s *S3) probeOwner(ctx context.Context) error {
	_, err := s.Owner(ctx)
	return err
}

// ProbeWrite is [Disk.ProbeWrite]. It leaves its object, which it replaces each time.
func (s *S3) ProbeWrite(ctx context.Context) error {
	return wrapS3(ctx, "probe", s.putSmall(ctx, probeName, "Can this be stored?\n"))
}

func (s *S3) probeRead(ctx context.Context) error {
	_, err := s.getSmall(ctx, probeName)
	return wrapS3(ctx, "probe", err)
}

func (s *S3) probeDelete(ctx context.Context) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: s.bucket(), Key: s.object(probeName)})
	return wrapS3(ctx, "probe", err)
}

// Owner returns the id of the installation that the blobs belong to, "" if there are
// none yet. ErrUnavailable.
func (s *S3) Owner(ctx context.Context) (string, error) {
	id, err := s.getSmall(ctx, ownerName)
	err = wrapS3(ctx, "read the owner", err)
	if errors.Is(err, assistants.ErrNotFound) {
		return "", nil
	}
	return string(bytes.TrimSpace(id)), err
}

// SetOwner writes the id that Owner returns. It returns ErrConflict if there is one
// already, and ErrUnavailable.
func (s *S3) SetOwner(ctx context.Context, id string) error {
	err := s.putSmall(ctx, ownerName, id+"\n", func(in *s3.PutObjectInput) { in.IfNoneMatch = aws.String("*") })
	if _, status := codeOf(err); status == http.StatusPreconditionFailed || status == http.StatusConflict {
		return fmt.Errorf("blob: the documents have an owner: %w", assistants.ErrConflict)
	}
	return wrapS3(ctx, "write the owner", err)
}

func (s *S3) putSmall(ctx context.Context, name, content string, with ...func(*s3.PutObjectInput)) error {
	sum := sha256.Sum256([]byte(content))
	in := &s3.PutObjectInput{
		Bucket: s.bucket(), Key: s.object(name), Body: bytes.NewReader([]byte(content)), ContentLength: aws.Int64(int64(len(content))),
		ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(sum[:])), ServerSideEncryption: s.cfg.Encryption, SSEKMSKeyId: s.encryptionKey(),
	}
	for _, set := range with {
		set(in)
	}
	_, err := s.client.PutObject(ctx, in)
	return err
}

// maxSmall is more than the small objects have.
const maxSmall = 4 << 10

func (s *S3) getSmall(ctx context.Context, name string) ([]byte, error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: s.bucket(), Key: s.object(name)})
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(out.Body, maxSmall))
	return content, errors.Join(err, out.Body.Close())
}
