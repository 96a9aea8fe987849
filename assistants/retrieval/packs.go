package retrieval

import (
	"embed"
	"strings"
	"sync"

	"footnote/assistants"
)

// The built-in synonyms: general vocabulary of a field, a file for each language.
//
//go:embed packs/*.csv
var packFiles embed.FS

// packs returns the built-in synonyms by name.
var packs = sync.OnceValue(func() map[string]*thesaurus {
	entries, err := packFiles.ReadDir("packs")
	if err != nil {
		panic(err) // they are in the program
	}
	lines := map[string][]string{}
	for _, e := range entries {
		file, err := packFiles.ReadFile("packs/" + e.Name())
		if err != nil {
			panic(err)
		}
		name, _, _ := strings.Cut(e.Name(), ".")
		lines[name] = append(lines[name], assistants.SynonymLines(string(file))...)
	}
	all := make(map[string]*thesaurus, len(lines))
	for name, list := range lines {
		all[name] = newThesaurus(list)
	}
	return all
})
