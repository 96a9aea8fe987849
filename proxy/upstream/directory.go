package upstream

// BuiltinExtractive is the name of the answerer that quotes its sources (see
// the package extractive). It is no language model.
const BuiltinExtractive = "builtin:extractive"

// An Entry is an upstream as assistants name it.
type Entry struct {
	Client       Client
	DefaultModel string // for assistants that name none; may be ""
}

// A Directory finds upstreams by name: the default one under "", the built-in
// ones under their own names. It does not change after it was made.
type Directory struct {
	entries map[string]Entry
}

// NewDirectory returns a directory with a default upstream and others by name,
// [BuiltinExtractive] among them.
func NewDirectory(def Entry, others map[string]Entry) *Directory {
	d := &Directory{entries: make(map[string]Entry, len(others)+1)}
	for name, e := range others {
		d.entries[name] = e
	}
	d.entries[""] = def
	return d
}

// Named finds an upstream; ok is false when there is none of that name.
func (d *Directory) Named(name string) (client Client, defaultModel string, ok bool) {
	e, ok := d.entries[name]
	return e.Client, e.DefaultModel, ok
}
