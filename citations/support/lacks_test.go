package support

import "testing"

// Each of several ways to say that something is missing supports most of the others, is denied by
// none, and contradicts that it is there.
func TestWhatIsMissingIsMissingHoweverItIsSaid(t *testing.T) {
	supported, all := 0, 0
	for _, said := range []struct{ there, missing []string }{
		{[]string{"The paint contains solvents."}, []string{"The paint contains no solvents.", "The paint is solvent-free.", "The paint is free of solvents."}},
		{[]string{"Das Brot enthält Nüsse."}, []string{"Das Brot enthält keine Nüsse.", "Das Brot ist ohne Nüsse."}},
		{[]string{"Der Klebstoff enthält Lösungsmittel."}, []string{"Der Klebstoff enthält keine Lösungsmittel.", "Der Klebstoff ist lösungsmittelfrei."}},
		{[]string{"Le sirop contient du sucre."}, []string{"Le sirop ne contient pas de sucre.", "Le sirop est sans sucre."}},
		{[]string{"El yogur contiene lactosa."}, []string{"El yogur no contiene lactosa.", "El yogur es sin lactosa."}},
		{[]string{"De zeep bevat parfum."}, []string{"De zeep bevat geen parfum.", "De zeep is zonder parfum."}},
	} {
		for _, claim := range said.missing {
			for _, passage := range said.missing {
				all++
				switch f := checked(claim, passage); f.Level {
				case Supported:
					supported++
				case Unsupported:
					t.Errorf("%q is denied by %q", claim, passage)
				}
			}
			for _, there := range said.there {
				for _, pair := range [][2]string{{claim, there}, {there, claim}} {
					if f := checked(pair[0], pair[1]); f.Level != Unsupported {
						t.Errorf("%q is %s by %q", pair[0], f.Level, pair[1])
					}
				}
			}
		}
	}
	if 100*supported < 90*all {
		t.Errorf("%d of %d are supported", supported, all)
	}
}

// What is missing belongs to its own subject.
func TestWhatAnotherThingLacksIsNotMissing(t *testing.T) {
	for claim, passage := range map[string]string{
		"The hotel has no pool.":                         "The hotel has rooms without a pool.",
		"The hotel has no pool at all.":                  "The hotel offers rooms without a pool view.",
		"The board approved no changes.":                 "The board approved the plan without changes.",
		"The board approved the plan without changes.":   "The board approved no changes.",
		"The bank has no branch in Ulm.":                 "The bank has a branch in Ulm.",
		"The bread contains nuts.":                       "The bread is baked without nuts and without milk.",
		"El yogur contiene azúcar.":                      "El yogur es sin lactosa y sin azúcar añadido.",
		"The bread contains no nuts from Spain or milk.": "The bread is baked without nuts.",
	} {
		if f := checked(claim, passage); f.Level == Supported {
			t.Errorf("%q is supported by %q", claim, passage)
		}
	}
}
