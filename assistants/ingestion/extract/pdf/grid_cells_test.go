package pdf

import "testing"

// A ruled table of three columns, whose rules down begin below the first row, or at another
// height.
func TestCellsThatSpanColumnsAreWhole(t *testing.T) {
	body := func(s *sheet) {
		for i, row := range [][3]string{{"Maker:", "Ardal", "Seats: 2"}, {"Year:", "1998", "Engines: 1"}} {
			for c, cell := range row {
				s.line(55+100*float64(c), 132+20*float64(i), cell)
			}
		}
	}
	rows := "\nMaker: | Ardal | Seats: 2\nYear: | 1998 | Engines: 1"
	across := []rule{{100, 50, 350}, {120, 50, 350}, {140, 50, 350}, {160, 50, 350}}
	for name, test := range map[string]struct {
		first func(s *sheet)
		down  []rule
		want  string
	}{
		"a title": {func(s *sheet) { s.set(55, 112, "Machine and Owner or Keeper of the Day", 10, true) }, []rule{{150, 120, 160}, {250, 120, 160}}, "Machine and Owner or Keeper of the Day" + rows},
		"a text of two lines": {func(s *sheet) {
			s.column(55, 108, "It was built in the north of the town, and it", "has been sold twice.")
		}, []rule{{150, 120, 160}, {250, 120, 160}}, "It was built in the north of the town, and it has been sold twice." + rows},
		"words between rules":   {func(s *sheet) { s.line(105, 112, "Owner Caretaker") }, []rule{{150, 100, 160}, {250, 100, 160}}, "Owner | Caretaker" + rows},
		"words that are apart":  {func(s *sheet) { s.line(105, 112, "Owner"); s.line(155, 112, "Caretaker") }, []rule{{150, 120, 160}, {250, 120, 160}}, "Owner | Caretaker" + rows},
		"a label and a text":    {func(s *sheet) { s.line(55, 112, "Time:"); s.column(155, 108, "90 hours in total, and 12", "in May") }, []rule{{150, 100, 160}, {250, 120, 160}}, "Time: | 90 hours in total, and 12 in May" + rows},
		"a name of two columns": {func(s *sheet) { s.line(155, 112, "Owner and Keepers of it") }, []rule{{150, 100, 160}, {250, 120, 160}}, "| Owner and Keepers of it" + rows},
		"a rule in its other line": {func(s *sheet) { s.line(105, 108, "Time in months"); s.line(125, 118, "10"); s.line(155, 118, "12") },
			[]rule{{150, 112, 160}, {250, 100, 160}}, "Time in months 10 | 12" + rows},
	} {
		t.Run(name, func(t *testing.T) {
			var s sheet
			test.first(&s)
			body(&s)
			w := pdfWriter{}
			down := joinRules(append(test.down, rule{50, 100, 160}, rule{350, 100, 160}))
			w.write([]pageLayout{arrange(s.words, 0, grids(across, down))})
			wantText(t, w.Finish(), test.want)
		})
	}
}

// A table with a title of its own does not go on with the one on the page before, though its columns
// are alike.
func TestATableWithATitleContinuesNone(t *testing.T) {
	page := func(title string, bold bool) pageLayout {
		var s sheet
		s.set(55, 112, title, 14, true)
		for i, row := range [][2]string{{"Maker:", "Ardal"}, {"Year:", "1998"}} {
			for c, cell := range row {
				s.set(55+200*float64(c), 132+20*float64(i), cell, 10, bold)
			}
		}
		across := []rule{{100, 50, 350}, {120, 50, 350}, {140, 50, 350}, {160, 50, 350}}
		return arrange(s.words, 0, grids(across, []rule{{50, 100, 160}, {250, 120, 160}, {350, 100, 160}}))
	}
	for title, want := range map[string]int{"The engine": 2, "": 1} {
		doc := readPages(t, page("The machine", false), page(title, true))
		if len(doc.Blocks) != want {
			t.Errorf("below %q: %d tables, want %d: %q", title, len(doc.Blocks), want, tablesOf(doc))
		}
	}
}

// A frame around two tables has the columns of both, whose rules are drawn in pieces. The title between
// them begins a table.
func TestTablesInAFrameAreApart(t *testing.T) {
	var s sheet
	var across []rule
	row := func(y float64, size float64, cells ...string) {
		for i, cell := range cells {
			s.set(55+200*float64(i), y+14, cell, size, size > 10)
		}
		across = append(across, rule{y, 50, 450})
	}
	down := []rule{{50, 100, 240}, {450, 100, 240}, {250, 120, 160}, {250, 180, 240}}
	row(100, 12, "The machine")
	row(120, 10, "Maker:", "Ardal")
	row(140, 10, "Year:", "1998")
	row(160, 12, "The engine and its parts")
	row(180, 10, "Maker:")
	row(200, 10, "Year:")
	row(220, 10, "Time:", "90 hours")
	across = append(across, rule{240, 50, 450})
	doc := readPages(t, arrange(s.words, 0, grids(across, joinRules(down))))
	wantText(t, doc, "The machine\nMaker: | Ardal\nYear: | 1998\n\nThe engine and its parts\nMaker:\nYear:\nTime: | 90 hours")
	if len(doc.Blocks) != 2 {
		t.Errorf("blocks %+v", doc.Blocks)
	}
}
