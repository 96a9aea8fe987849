package blob

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// A Location is where documents are kept on S3, without the keys. [ParseS3URL]
// reads it.
type Location struct {
	Bucket string
	Prefix string // of all keys, without a slash at either end; "": none
	// Endpoint is the base URL of a server that is not Amazon's; "": Amazon's.
	Endpoint string
	// PublicEndpoint is the base URL in presigned links; "": the Endpoint.
	PublicEndpoint string
	Region         string // "": that of the AWS configuration
	PathStyle      bool   // the bucket is in the path, not in the host
	Encryption     types.ServerSideEncryption
	EncryptionKey  string // id of the key at KMS
	StorageClass   types.StorageClass
}

// scheme begins the URL of documents on S3.
const scheme = "s3://"

// IsS3URL reports whether a URL of documents means S3.
func IsS3URL(address string) bool { return strings.HasPrefix(address, scheme) }

var (
	bucketName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._-]{1,61}[a-zA-Z0-9]$`)
	keyPrefix  = regexp.MustCompile(`^[a-zA-Z0-9_-][a-zA-Z0-9._-]*(/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*$`)
)

// maxPrefix leaves room for the rest of a key, which has at most 1,024 bytes.
const maxPrefix = 512

// ParseS3URL reads a URL of the form
//
//	s3://bucket/prefix?endpoint=&public_endpoint=&region=&path_style=&encryption=&kms_key_id=&storage_class=
//
// All but the bucket may be left out. The bucket is in the path (path_style) by
// default if there is an endpoint. The error says what is wrong and repeats no part
// of the URL, which could be a key in the wrong place.
func ParseS3URL(address string) (Location, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || !IsS3URL(address) || u.Fragment != "":
		return Location{}, errors.New("write it as s3://bucket/prefix?region=…, or with endpoint=https://… for a server that is not Amazon's")
	case u.User != nil:
		return Location{}, errors.New("keys do not belong into the URL: set FOOTNOTE_S3_ACCESS_KEY_ID and FOOTNOTE_S3_SECRET_ACCESS_KEY")
	case !bucketName.MatchString(u.Host):
		return Location{}, errors.New("the name of the bucket has 3 to 63 letters, digits, dots, hyphens and underscores")
	}
	l := Location{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	if l.Prefix != "" && (len(l.Prefix) > maxPrefix || !keyPrefix.MatchString(l.Prefix)) {
		return Location{}, errors.New("what follows the bucket is a prefix of letters, digits, dots, hyphens and underscores, separated by single slashes")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Location{}, errors.New("what follows the question mark is name=value, joined by &")
	}
	return l, l.set(query)
}

// set reads the parameters of a URL.
func (l *Location) set(query url.Values) error {
	known := []string{"endpoint", "public_endpoint", "region", "path_style", "encryption", "kms_key_id", "storage_class"}
	for name, values := range query {
		if !slices.Contains(known, name) {
			return fmt.Errorf("it has a parameter that there is not; there are %s", strings.Join(known, ", "))
		}
		if len(values) != 1 || values[0] == "" {
			return fmt.Errorf("%s has exactly one value; leave it out for the default", name)
		}
	}
	l.Endpoint, l.PublicEndpoint, l.Region = query.Get("endpoint"), query.Get("public_endpoint"), query.Get("region")
	for name, endpoint := range map[string]string{"endpoint": l.Endpoint, "public_endpoint": l.PublicEndpoint} {
		if endpoint != "" && !isBase(endpoint) {
			return fmt.Errorf("%s is an absolute URL such as https://s3.example.com, without keys and parameters", name)
		}
	}
	l.PathStyle = l.Endpoint != ""
	if style := query.Get("path_style"); style != "" {
		var err error
		if l.PathStyle, err = strconv.ParseBool(style); err != nil {
			return errors.New("path_style is true or false")
		}
	}
	l.Encryption, l.EncryptionKey = types.ServerSideEncryption(query.Get("encryption")), query.Get("kms_key_id")
	if l.Encryption != "" && !slices.Contains(l.Encryption.Values(), l.Encryption) {
		return fmt.Errorf("encryption is one of %v", l.Encryption.Values())
	}
	if l.EncryptionKey != "" && !strings.HasPrefix(string(l.Encryption), "aws:kms") {
		return errors.New("kms_key_id needs encryption=aws:kms")
	}
	l.StorageClass = types.StorageClass(query.Get("storage_class"))
	if l.StorageClass != "" && !slices.Contains(readableClasses, l.StorageClass) {
		return fmt.Errorf("storage_class is one of %v: documents of other classes cannot be read at once", readableClasses)
	}
	return nil
}

// readableClasses are the storage classes whose objects can be read at any time.
var readableClasses = []types.StorageClass{
	types.StorageClassStandard, types.StorageClassStandardIa, types.StorageClassOnezoneIa,
	types.StorageClassIntelligentTiering, types.StorageClassGlacierIr, types.StorageClassReducedRedundancy,
}

func isBase(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}
