package links

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/citations"
)

// bucket signs links that say what they were made for; err is its answer instead.
type bucket struct{ err error }

func (b bucket) PresignDownload(_ context.Context, key string, ttl time.Duration, contentType, disposition string) (string, error) {
	return "https://bucket.example/" + key + "/" + ttl.String() + "/" + contentType + "/" + strings.ReplaceAll(disposition, " ", ""), b.err
}

// stored is here for documents that are kept under a key.
type stored struct{ *here }

func (s stored) DocumentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error) {
	found, err := s.here.DocumentsByID(ctx, tenant, ids)
	for i := range found {
		found[i].Version = assistants.Version{BlobKey: string(tenant) + "/k" + string(found[i].ID), ContentType: "text/html"}
	}
	return found, err
}

func assistantDelivering(by assistants.LinkDelivery) *assistants.Assistant {
	a := assistantWith(assistants.LinkPublic)
	if by != "" {
		a.Settings.CitationLinkDelivery = &by
	}
	return a
}

func TestTheSettingAndTheStoreDecideWhoSendsADocument(t *testing.T) {
	const one = "https://bucket.example/tenant-b/kdoc_1/1m30s/application/octet-stream/attachment;filename=\"nowdoc_1\""
	const here1 = known + "/tenant-b/doc_1/asst_a/1m30s/now-doc_1"
	both := []assistants.DocumentID{"doc_1"}
	for name, c := range map[string]struct {
		by    assistants.LinkDelivery
		store Presigner
		base  string
		want  string
		warns bool
	}{
		"on S3":                                {"", bucket{}, known, one, false},
		"on S3, without an address of its own": {"", bucket{}, unknown, one, false},
		"on S3, presigned":                     {assistants.DeliverPresigned, bucket{}, known, one, false},
		"on S3, by this server":                {assistants.DeliverProxy, bucket{}, known, here1, false},
		"on S3, by this server, unknown":       {assistants.DeliverProxy, bucket{}, unknown, "", true},
		"on disk":                              {"", nil, known, here1, false},
		"on disk, presigned":                   {assistants.DeliverPresigned, nil, known, here1, false},
		"on S3, which cannot sign":             {"", bucket{errors.New("no keys")}, known, "", false},
	} {
		l, log := newLinks(c.base, nil, told)
		l.Documents, l.Presigner = stored{&here{names: both}}, c.store
		set := citations.NewSet([]citations.Source{{DocumentID: "doc_1", Text: "text"}}, citations.Options{})
		linked := l.Complete(request(), assistantDelivering(c.by), set)
		urls, warnings := shown(set)
		if !slices.Equal(urls, []string{c.want}) || linked != (c.want != "") || (len(warnings) > 0) != c.warns {
			t.Errorf("%s: %q, warnings %q, %s", name, urls, warnings, log)
		}
	}
}

// counted counts the links that are signed.
type counted struct {
	bucket
	signed *int
}

func (c counted) PresignDownload(ctx context.Context, key string, ttl time.Duration, contentType, disposition string) (string, error) {
	*c.signed++
	return c.bucket.PresignDownload(ctx, key, ttl, contentType, disposition)
}

// TestNoLinkIsSignedForAPlace: a further place of a passage has no URL.
func TestNoLinkIsSignedForAPlace(t *testing.T) {
	l, _ := newLinks(known, nil, told)
	signed := 0
	l.Documents, l.Presigner = stored{&here{names: []assistants.DocumentID{"doc_1", "doc_2"}}}, counted{signed: &signed}
	place := func(id string) citations.Place { return citations.Place{DocumentID: id, DocumentName: "n"} }
	set := citations.NewSet([]citations.Source{{DocumentID: "doc_1", Text: "text", AlsoIn: []citations.Place{place("doc_2"), place("doc_gone")}}}, citations.Options{})
	l.Complete(request(), assistantDelivering(""), set)
	if places := set.Sources()[0].AlsoIn; signed != 1 || len(places) != 1 || places[0].DocumentID != "doc_2" {
		t.Errorf("%d signed, places %+v", signed, places)
	}
}

// While the database is away nobody knows the key of the file. The link leads to
// this server, which looks when it is clicked.
func TestADocumentThatIsNotKnownNowGetsALinkToThisServer(t *testing.T) {
	l, _ := newLinks(known, &here{err: errors.New("away")}, told)
	l.Presigner = bucket{}
	set := citations.NewSet([]citations.Source{{DocumentID: "doc_1", DocumentName: "n", Text: "text"}}, citations.Options{})
	l.Complete(request(), assistantDelivering(""), set)
	if urls, _ := shown(set); !slices.Equal(urls, []string{known + "/tenant-b/doc_1/asst_a/1m30s/n"}) {
		t.Errorf("%q", urls)
	}
}

func TestADeliveryThatHasNoEffectIsWarnedOf(t *testing.T) {
	for name, c := range map[string]struct {
		by    assistants.LinkDelivery
		store Presigner
		base  string
		want  int
	}{
		"presigned on disk":             {assistants.DeliverPresigned, nil, known, 1},
		"presigned on disk, no address": {assistants.DeliverPresigned, nil, unknown, 2},
		"presigned on S3, no address":   {assistants.DeliverPresigned, bucket{}, unknown, 0},
		"by itself on S3, no address":   {assistants.DeliverProxy, bucket{}, unknown, 1},
		"default on disk":               {"", nil, known, 0},
	} {
		l, _ := newLinks(c.base, nil, told)
		l.Presigner = c.store
		if got := l.Warnings(request(), assistantDelivering(c.by).Settings); len(got) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
