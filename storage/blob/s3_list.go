package blob

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// folder is the begin of the names of all objects of this store.
func (s *S3) folder() *string {
	if s.cfg.Prefix == "" {
		return nil
	}
	return aws.String(s.cfg.Prefix + "/")
}

// Each is [Disk.Each]. The age of an object is told by the server's clock, to which
// before is converted, with a margin: a blob that is too young is never called old.
func (s *S3) Each(ctx context.Context, before time.Time, fn func(key string) error) error {
	pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: s.bucket(), Prefix: s.folder()})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return wrapS3(ctx, "list", err)
		}
		latest := before.Add(time.Duration(s.clock.ahead.Load()) - clockMargin)
		for _, o := range page.Contents {
			key, ok := s.keyOf(aws.ToString(o.Key))
			if !ok || !aws.ToTime(o.LastModified).Before(latest) {
				continue
			}
			if err := fn(key); err != nil {
				return err
			}
		}
	}
	return nil
}

// Leftovers calls fn for every upload that was begun and not ended.
func (s *S3) Leftovers(ctx context.Context, fn func(name string) error) error {
	return s.unfinished(ctx, func(u types.MultipartUpload) error {
		key, _ := s.keyOf(*u.Key)
		return fn(key)
	})
}

// RemoveLeftovers ends the uploads that were begun and not ended. No write may run
// meanwhile.
func (s *S3) RemoveLeftovers(ctx context.Context) error {
	return s.abortAll(ctx, func(types.MultipartUpload) bool { return true })
}

// SweepLeftovers ends the uploads that were begun before a time.
func (s *S3) SweepLeftovers(ctx context.Context, before time.Time) error {
	return s.abortAll(ctx, func(u types.MultipartUpload) bool {
		return aws.ToTime(u.Initiated).Before(before.Add(time.Duration(s.clock.ahead.Load())))
	})
}

func (s *S3) abortAll(ctx context.Context, which func(types.MultipartUpload) bool) error {
	var errs []error
	err := s.unfinished(ctx, func(u types.MultipartUpload) error {
		if which(u) {
			errs = append(errs, wrapS3(ctx, "sweep", s.abort(ctx, *u.Key, u.UploadId)))
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}

// unfinished calls fn for every upload of this store that was begun and not ended.
func (s *S3) unfinished(ctx context.Context, fn func(types.MultipartUpload) error) error {
	pages := s3.NewListMultipartUploadsPaginator(s.client, &s3.ListMultipartUploadsInput{Bucket: s.bucket(), Prefix: s.folder()})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return wrapS3(ctx, "list uploads", err)
		}
		for _, u := range page.Uploads {
			if _, ok := s.keyOf(aws.ToString(u.Key)); !ok {
				continue // it belongs to another program
			}
			if err := fn(u); err != nil {
				return err
			}
		}
	}
	return nil
}
