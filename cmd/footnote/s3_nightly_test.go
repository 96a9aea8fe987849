//go:build nightly

package main

import (
	"testing"

	"footnote/storage/blob/s3test"
)

// The "Done when" of durability on S3: what was answered 202 is there after any kill.
func TestKillsLoseNothingOnS3(t *testing.T) {
	t.Parallel()
	for _, database := range databases {
		t.Run(database.name, func(t *testing.T) {
			server := s3test.Start(t)
			storms(t, append(database.env(t), s3Env(server.Endpoint, server.Bucket(t))...)...)
		})
	}
}
