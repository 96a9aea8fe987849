package blob

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"footnote/assistants"
)

// maxPresigned is the longest life of a presigned link (SigV4).
const maxPresigned = 7 * 24 * time.Hour

// PresignDownload returns a URL that opens a blob without a key until ttl has passed,
// with the given content type and Content-Disposition. It ends after seven days at
// the latest, with the keys that signed it, and with the blob. Nothing is sent, so
// the blob may be missing. Errors are of kind ErrInvalid or ErrUnavailable.
func (s *S3) PresignDownload(ctx context.Context, key string, ttl time.Duration, contentType, disposition string) (string, error) {
	if err := CheckKey(key); err != nil {
		return "", err
	}
	keys, err := s.keys.Retrieve(ctx)
	if err != nil {
		return "", wrapS3(ctx, "presign", err)
	}
	ttl = min(ttl, maxPresigned)
	if keys.CanExpire {
		ttl = min(ttl, keys.Expires.Sub(s.clock.Now()))
	}
	if ttl < time.Second {
		return "", fmt.Errorf("blob: presign: %w: the keys are about to expire", assistants.ErrUnavailable)
	}
	signed, err := s.presigner.PresignGetObject(ctx, &s3.GetObjectInput{
		Bucket: s.bucket(), Key: s.object(key),
		ResponseContentType: aws.String(contentType), ResponseContentDisposition: aws.String(disposition),
		ResponseCacheControl: aws.String("private, no-cache"),
	}, s3.WithPresignExpires(ttl.Truncate(time.Second)))
	if err != nil {
		return "", fmt.Errorf("blob: presign: %w", assistants.ErrUnavailable) // its text names the object
	}
	return signed.URL, nil
}
