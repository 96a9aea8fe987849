package assistants

// List asks for a page of a list: at most Limit items after Cursor (the
// NextCursor of the page before; "" for the first page). Lists are ordered by
// creation, oldest first.
type List struct {
	Limit  int
	Cursor string
}
