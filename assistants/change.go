package assistants

// A DocumentChange says that a document was created, changed or deleted.
type DocumentChange struct {
	Tenant     TenantID
	Collection CollectionID
	// Document is "" if the change concerns all documents of the collection.
	Document DocumentID
	Deleted  bool
}
