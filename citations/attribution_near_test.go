package citations

import "testing"

// False sentences about a handbook, each with the passage that says otherwise and one
// that shares words with it by chance. Each was called supported once.
func TestAPassageAboutSomethingElseBearsNothingOut(t *testing.T) {
	for _, c := range []struct{ wrong, about, chance string }{
		{"Salaries are paid on the 1st of each month.", "Salaries are paid on the 25th of each month.", "The reward is paid with the first salary after each probation."},
		{"Volunteering is limited to six paid days a year.", "Each employee may spend three paid days a year on volunteering.", "Tuition fees are limited to six courses a year."},
		{"The probation period is twelve months.", "The probation period is six months.", "Sick days are counted in a rolling twelve months."},
		{"Employees pay for their own laptops.", "Laptops are returned on the last day of work.", "7 Pay"},
	} {
		statements := Statements(c.wrong, "")
		m := Attribute(statements, [][]Source{evidenceOf(c.chance, c.about)}, Options{}).Result().Markers[0]
		if m.Support == "supported" {
			t.Errorf("%q: %+v, %+v", c.wrong, m, m.Quote)
		}
	}
}
