package blob

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"footnote/assistants"
)

// An s3Error is what is told about a failed request. The SDK's own errors are dropped,
// because they name the bucket, the object, the host and the key.
type s3Error struct {
	code string // of the server; "": it gave no answer
	text string
	kind error
}

func (e *s3Error) Error() string { return e.text }

// Unwrap returns the kind of the error, for package assistants.
func (e *s3Error) Unwrap() error { return e.kind }

// codeOf returns the code and the status of the server's answer, "" and 0 if there
// was none.
func codeOf(err error) (code string, status int) {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		code = api.ErrorCode()
	}
	if answer, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		status = answer.HTTPStatusCode()
	}
	return code, status
}

// wrapS3 translates an error of the SDK. A bucket that does not exist is a broken
// store, not a blob that is missing.
func wrapS3(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("blob: %s: %w", op, ctx.Err())
	}
	return fmt.Errorf("blob: %s: %w", op, describe(err))
}

func describe(err error) *s3Error {
	if known, ok := errors.AsType[*s3Error](err); ok {
		return known
	}
	code, status := codeOf(err)
	e := &s3Error{code: code, kind: assistants.ErrUnavailable}
	switch {
	case errors.Is(err, errNoKeys):
		e.code, e.text = codeNoKeys, "there are no keys to sign requests with"
	case code == "NoSuchKey", code == "NotFound" && status == http.StatusNotFound:
		e.kind, e.text = assistants.ErrNotFound, "not found"
	case code != "" && isCode(code):
		e.text = fmt.Sprintf("S3 is unavailable: it answers %s (status %d)", code, status)
	case status != 0:
		e.text = fmt.Sprintf("S3 is unavailable: it answers with status %d", status)
	default:
		e.text = "S3 is unavailable: " + reason(err)
	}
	return e
}

// isCode reports whether a server's error code is a word, which can be repeated.
func isCode(code string) bool {
	for _, r := range code {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' {
			return false
		}
	}
	return len(code) <= maxSegment
}

// reason says in general words why there was no answer.
func reason(err error) string {
	var (
		lookup      *net.DNSError
		op          *net.OpError
		timeout     net.Error
		certificate *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &lookup):
		return "the name of its host cannot be resolved"
	case errors.As(err, &certificate):
		return "its certificate is not trusted"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "it does not answer in time"
	case errors.As(err, &op) && op.Op == "dial":
		return "it cannot be connected to"
	default:
		return "the connection broke"
	}
}

// errNoKeys is the error of a request that cannot be signed, and codeNoKeys its code.
var errNoKeys = errors.New("no keys")

const codeNoKeys = "no keys"

// keyProvider gives the errors of the AWS configuration a kind.
type keyProvider struct{ aws.CredentialsProvider }

// Retrieve implements [aws.CredentialsProvider].
func (p keyProvider) Retrieve(ctx context.Context) (aws.Credentials, error) {
	keys, err := p.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		err = errNoKeys
	}
	return keys, err
}
