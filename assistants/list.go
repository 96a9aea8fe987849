package assistants

// List asks for a page of a list: at most Limit items after Cursor (the
// NextCursor of the page before; "" for the first page). Lists are ordered by
// creation, oldest first, unless Sort says otherwise.
type List struct {
	Limit  int
	Cursor string

	// Lists with a query obey the following, others ignore it.

	After      string // id of the item after which the page begins, instead of Cursor
	Sort       Sort   // "": SortCreated
	Descending bool
	Count      bool // whether to count what the query selects
}

// Sort is what a list of documents is ordered by.
type Sort string

// The orders of documents. SortName is the order of [FoldName].
const (
	SortCreated Sort = "created_at"
	SortName    Sort = "name"
	SortBytes   Sort = "bytes"
)

// Sorts lists every order.
var Sorts = []Sort{SortCreated, SortName, SortBytes}

// A Listing is a page of what a query selects. Next is the cursor of the next page,
// "" after the last item. Total counts all pages, if the list asked for that.
type Listing[T any] struct {
	Items []T
	Next  string
	Total int
}

// An AssistantQuery selects assistants; its zero value selects all.
type AssistantQuery struct {
	Name  string       // part of the name, as [FoldName] compares
	Reads CollectionID // one that they own, or that their settings name; "": any
}

// A DocumentQuery selects documents; its zero value selects all.
type DocumentQuery struct {
	Name     string   // part of the name, as [FoldName] compares
	Statuses []Status // one of these; none: any
	Labels   []string // all of these
	Tags     []Tag    // all of these
}

// A Tag is a key of a document with its value.
type Tag struct{ Key, Value string }

// A KeyQuery selects keys; its zero value selects all.
type KeyQuery struct {
	State KeyState // "": any
}

// KeyState says whether a key works, and why not.
type KeyState string

// States of keys. A key that was revoked and has expired is revoked.
const (
	KeyActive  KeyState = "active"
	KeyRevoked KeyState = "revoked"
	KeyExpired KeyState = "expired"
)

// KeyStates lists every state of a key.
var KeyStates = []KeyState{KeyActive, KeyRevoked, KeyExpired}
