package support

import "testing"

// What is forbidden may not be done, and what may be done is not forbidden.
func TestWhatIsForbiddenMayNotBeDone(t *testing.T) {
	for _, said := range []struct{ may, not, forbidden, neither string }{
		{"You may smoke in the warehouse.", "You must not smoke in the warehouse.", "Smoking is prohibited in the warehouse.", "Smoking is not prohibited in the warehouse."},
		{"Im Lager darf geraucht werden.", "Im Lager darf nicht geraucht werden.", "Das Rauchen ist im Lager verboten.", "Das Rauchen ist im Lager nicht verboten."},
		{"On peut fumer dans l'atelier.", "On ne peut pas fumer dans l'atelier.", "Il est interdit de fumer dans l'atelier.", "Il n'est pas interdit de fumer dans l'atelier."},
		{"Se puede fumar en el almacén.", "No se puede fumar en el almacén.", "Está prohibido fumar en el almacén.", "No está prohibido fumar en el almacén."},
		{"Si può fumare nel magazzino.", "Non si può fumare nel magazzino.", "È vietato fumare nel magazzino.", "Non è vietato fumare nel magazzino."},
	} {
		for _, pair := range [][2]string{{said.not, said.forbidden}, {said.forbidden, said.not}} {
			if f := checked(pair[0], pair[1]); f.Level == Unsupported {
				t.Errorf("%q is %s by %q", pair[0], f.Level, pair[1])
			}
		}
		for _, deny := range []string{said.not, said.forbidden} {
			for _, allow := range []string{said.may, said.neither} {
				for _, pair := range [][2]string{{deny, allow}, {allow, deny}} {
					if f := checked(pair[0], pair[1]); f.Level == Supported {
						t.Errorf("%q is %s by %q", pair[0], f.Level, pair[1])
					}
				}
			}
		}
	}
	for claim, passage := range map[string]string{
		"The council allowed cars in the centre.": "The council banned cars from the centre.",
		"Cars drive through the centre.":          "The council banned cars from the centre.",
		"Smoking is banned on the terrace.":       "Smoking, which is banned in the hall, is allowed on the terrace.",
	} {
		if f := checked(claim, passage); f.Level == Supported {
			t.Errorf("%q is supported by %q", claim, passage)
		}
	}
}
