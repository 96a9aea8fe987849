package blob

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/logging"
	"golang.org/x/sync/errgroup"

	"footnote/assistants"
)

const (
	// s3Attempts is how often a request is sent before it has failed.
	s3Attempts = 3
	// s3Backoff is the longest pause between two attempts.
	s3Backoff = 2 * time.Second
	// s3Silence is how long the server may send or take nothing.
	s3Silence = 30 * time.Second
	// s3ConnectTime bounds how long a connection takes to be made.
	s3ConnectTime = 5 * time.Second
	// partsAtOnce is how many parts of one upload are sent at the same time.
	partsAtOnce = 4
	// abortTime bounds the end of an upload that has failed.
	abortTime = 10 * time.Second
	// metaSum is the metadata of an object that holds its SHA-256 in lower-case hex.
	metaSum = "sha256"
)

// S3Config says how to reach a bucket.
type S3Config struct {
	Location
	// AccessKeyID and SecretAccessKey are the keys. Both empty: those of the AWS
	// configuration, which are the environment, a profile, or the role of the machine.
	AccessKeyID, SecretAccessKey string
	// SpoolDir is where large uploads wait until they are sent; "": the system's
	// folder for temporary files.
	SpoolDir string

	// options change the client; for tests.
	options []func(*s3.Options)
}

// An S3 keeps blobs as objects in a bucket, as prefix/tenant/name. It is safe for
// concurrent use. Its errors name neither the bucket nor a host nor a key.
type S3 struct {
	cfg       S3Config
	client    *s3.Client
	presigner *s3.PresignClient
	transport *http.Transport
	keys      aws.CredentialsProvider
	clock     *clock
}

// NewS3 prepares a store. It sends nothing to the bucket; [S3.Check] does. It returns
// ErrInvalid, as a FieldError with the remedy, if the region is not known or the AWS
// configuration cannot be read.
func NewS3(ctx context.Context, cfg S3Config) (*S3, error) {
	s := &S3{cfg: cfg, clock: &clock{now: time.Now}}
	load := []func(*config.LoadOptions) error{
		config.WithHTTPClient(awshttp.NewBuildableClient()), // reads AWS_CA_BUNDLE
		config.WithLogger(logging.Nop{}),                    // it would name what errors must not
		config.WithRetryer(func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = s3Attempts, s3Backoff })
		}),
	}
	if cfg.Region != "" {
		load = append(load, config.WithRegion(cfg.Region))
	}
	if cfg.AccessKeyID != "" {
		load = append(load, config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(cfg.AccessKeyID, cfg.SecretAccessKey, "")))
	}
	loaded, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return nil, &assistants.FieldError{Field: "blob_url", Message: "The AWS configuration of this machine cannot be read: correct AWS_PROFILE and its files, or set FOOTNOTE_S3_ACCESS_KEY_ID and FOOTNOTE_S3_SECRET_ACCESS_KEY."}
	}
	if loaded.Region == "" && cfg.Endpoint == "" {
		return nil, &assistants.FieldError{Field: "blob_url", Message: "The region of the bucket is not known: add region=… to the URL, or set AWS_REGION."}
	}
	loaded.Credentials = keyProvider{loaded.Credentials}
	s.keys = loaded.Credentials
	s.transport = transportOf(loaded)
	s.client = s3.NewFromConfig(loaded, append([]func(*s3.Options){s.options}, cfg.options...)...)
	s.presigner = s3.NewPresignClient(s.client, func(o *s3.PresignOptions) {
		o.Presigner = clockedPresigner{s.clock}
		if cfg.PublicEndpoint != "" {
			o.ClientOptions = append(o.ClientOptions, func(o *s3.Options) { o.BaseEndpoint = aws.String(cfg.PublicEndpoint) })
		}
	})
	return s, nil
}

// transportOf is that of the AWS configuration with the limits of this package.
func transportOf(loaded aws.Config) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if built, ok := loaded.HTTPClient.(*awshttp.BuildableClient); ok {
		t = built.GetTransport()
	}
	dialer := &net.Dialer{Timeout: s3ConnectTime}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &impatientConn{conn}, nil
	}
	t.TLSHandshakeTimeout, t.ResponseHeaderTimeout, t.IdleConnTimeout = s3ConnectTime, s3Silence, s3Silence/2
	t.MaxIdleConnsPerHost = 32
	return t
}

func (s *S3) options(o *s3.Options) {
	o.HTTPClient = &http.Client{
		Transport: s.clock.watch(s.transport),
		// A redirect would take the document to another server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if s.cfg.Endpoint != "" {
		o.BaseEndpoint = aws.String(s.cfg.Endpoint)
	}
	if o.Region == "" {
		o.Region = "us-east-1" // what servers that are not Amazon's are called by default
	}
	o.UsePathStyle = s.cfg.PathStyle
	// Sums are sent and compared here: the SDK's defaults are refused by some servers.
	o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
}

// Close closes the idle connections.
func (s *S3) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// object is the name of a blob in the bucket.
func (s *S3) object(key string) *string { return aws.String(path.Join(s.cfg.Prefix, key)) }

func (s *S3) bucket() *string { return aws.String(s.cfg.Bucket) }

// keyOf is the key of an object. ok is false for objects that are no blobs.
func (s *S3) keyOf(object string) (key string, ok bool) {
	key = object
	if s.cfg.Prefix != "" {
		if key, ok = strings.CutPrefix(object, s.cfg.Prefix+"/"); !ok {
			return "", false
		}
	}
	return key, CheckKey(key) == nil
}

// Put is [Disk.Put]. The content is read whole before any of it is sent, so that a
// slow or broken source holds no connection, and a request can be sent again. S3
// compares every request with its SHA-256.
func (s *S3) Put(ctx context.Context, key string, r io.Reader) (size int64, sum string, err error) {
	if err := CheckKey(key); err != nil {
		return 0, "", err
	}
	source := &reader{ctx: ctx, r: r}
	spooled, err := fillSpool(s.cfg.SpoolDir, source)
	if source.err != nil {
		return 0, "", source.err
	}
	if err != nil {
		return 0, "", wrapWrite(ctx, "put", err)
	}
	defer func() {
		if closed := spooled.close(); err == nil && closed != nil {
			err = wrapWrite(ctx, "put", closed)
		}
	}()
	switch {
	case spooled.size > partSize*maxParts:
		return 0, "", fmt.Errorf("blob: put: %w", assistants.ErrTooLarge)
	case spooled.size > partSize:
		err = s.putParts(ctx, key, spooled)
	default:
		err = s.putWhole(ctx, key, spooled)
	}
	if err != nil {
		return 0, "", wrapS3(ctx, "put", err)
	}
	return spooled.size, hex.EncodeToString(spooled.sum), nil
}

func (s *S3) putWhole(ctx context.Context, key string, from *spool) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: s.bucket(), Key: s.object(key), Body: from.section(0), ContentLength: aws.Int64(from.size),
		ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(from.sum)), Metadata: sumMetadata(from.sum),
		ServerSideEncryption: s.cfg.Encryption, SSEKMSKeyId: s.encryptionKey(), StorageClass: s.cfg.StorageClass,
	})
	return err
}

func sumMetadata(sum []byte) map[string]string {
	return map[string]string{metaSum: hex.EncodeToString(sum)}
}

func (s *S3) encryptionKey() *string {
	if s.cfg.EncryptionKey == "" {
		return nil
	}
	return aws.String(s.cfg.EncryptionKey)
}

// putParts sends a large object in parts. If that fails, the parts are removed.
func (s *S3) putParts(ctx context.Context, key string, from *spool) (err error) {
	upload, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: s.bucket(), Key: s.object(key), ChecksumAlgorithm: types.ChecksumAlgorithmSha256, Metadata: sumMetadata(from.sum),
		ServerSideEncryption: s.cfg.Encryption, SSEKMSKeyId: s.encryptionKey(), StorageClass: s.cfg.StorageClass,
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.abort(ctx, *upload.Key, upload.UploadId))
		}
	}()
	parts := make([]types.CompletedPart, len(from.parts))
	group, sending := errgroup.WithContext(ctx)
	group.SetLimit(partsAtOnce)
	for n := range parts {
		group.Go(func() (err error) {
			parts[n], err = s.putPart(sending, key, upload.UploadId, from, n)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	_, err = s.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: s.bucket(), Key: s.object(key), UploadId: upload.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	return err
}

func (s *S3) putPart(ctx context.Context, key string, upload *string, from *spool, n int) (types.CompletedPart, error) {
	section, sum := from.section(n), aws.String(base64.StdEncoding.EncodeToString(from.parts[n]))
	number := aws.Int32(int32(n + 1)) //nolint:gosec // at most maxParts
	part, err := s.client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: s.bucket(), Key: s.object(key), UploadId: upload, PartNumber: number,
		Body: section, ContentLength: aws.Int64(section.Size()), ChecksumSHA256: sum,
	})
	if err != nil {
		return types.CompletedPart{}, err
	}
	return types.CompletedPart{PartNumber: number, ETag: part.ETag, ChecksumSHA256: sum}, nil
}

// abort removes the parts of an upload, also when its caller has gone. What it cannot
// remove now is swept later.
func (s *S3) abort(ctx context.Context, object string, upload *string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer cancel()
	_, err := s.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: s.bucket(), Key: aws.String(object), UploadId: upload})
	if code, _ := codeOf(err); code == "NoSuchUpload" {
		return nil
	}
	return err
}

// Delete is [Disk.Delete].
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: s.bucket(), Key: s.object(key)})
	if errors.Is(wrapS3(ctx, "delete", err), assistants.ErrNotFound) {
		return nil
	}
	return wrapS3(ctx, "delete", err)
}
