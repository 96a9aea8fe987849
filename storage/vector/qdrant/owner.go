package qdrant

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"

	"footnote/assistants"
)

// ownerID is the id of the point, beside the heads, that names the installation
// that the collections belong to.
var ownerID = qdrant.NewIDUUID(uuid.NewSHA1(names, []byte("installation")).String())

const fieldInstallation = "installation"

// claim makes sure that the collections belong to this installation. Another one
// would remove the documents of this one, because its database does not know them.
func (x *Index) claim(ctx context.Context) error {
	if x.opt.Installation == "" {
		return nil
	}
	owner, err := x.owner(ctx)
	if err != nil {
		return err
	}
	if owner == "" {
		payload := map[string]*qdrant.Value{fieldInstallation: qdrant.NewValueString(x.opt.Installation)}
		if err := x.upsert(ctx, x.headsCollection(), &qdrant.PointStruct{Id: ownerID, Payload: payload, Vectors: qdrant.NewVectorsMap(nil)}); err != nil {
			return err
		}
		if owner, err = x.owner(ctx); err != nil { // another installation may have written later
			return err
		}
	}
	return x.checkOwner(owner)
}

// owner returns the installation that the collections belong to, "" if none has
// claimed them.
func (x *Index) owner(ctx context.Context) (string, error) {
	got, err := x.client.Get(ctx, &qdrant.GetPoints{
		CollectionName: x.headsCollection(), Ids: []*qdrant.PointId{ownerID}, WithPayload: qdrant.NewWithPayload(true),
	})
	if err != nil || len(got) == 0 {
		return "", err
	}
	return got[0].GetPayload()[fieldInstallation].GetStringValue(), nil
}

func (x *Index) checkOwner(owner string) error {
	if owner == "" || x.opt.Installation == "" || owner == x.opt.Installation {
		return nil
	}
	return fmt.Errorf("%w: the Qdrant collections whose names begin with %s belong to another installation of Footnote. Choose another collection_prefix; "+
		"or, if that installation is gone, delete these collections: the index is built again from the documents", assistants.ErrConflict, x.opt.Prefix)
}
