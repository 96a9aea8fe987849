package support

import (
	"slices"
	"strings"

	"footnote/citations/tables"
)

// A row of a table says what its cells, the names of their columns and the title above them
// say together. So a claim about a cell is compared with a row and a column. Rows are the
// lines that cells with bars between them make, whatever format they came from; withBars makes
// them of CSV and HTML.

const (
	maxColumns  = 32 // of a row; a wider one is read as text
	triedRows   = 3  // rows of a table that a claim is compared with
	maxTitle    = 240
	maxTableRow = 4000 // bytes
)

// A grid is a table in a passage, or the part of one below a head.
type grid struct {
	from, to int // its bytes, with those of the names
	rows     []gridRow
}

// A gridRow is a row of a grid. Its ranges are of bytes.
type gridRow struct {
	span    [2]int
	header  [2]int // the lines that name the columns, empty if none does
	headers []string
	cells   []string
	title   string
	about   string // what stands for all amounts: in thousands
}

// tablesOf finds the tables of a passage.
func (a *analysed) tablesOf() []grid {
	if a.tabled {
		return a.tables
	}
	a.tabled = true
	if !strings.Contains(a.raw, "|") {
		return nil
	}
	lines, spans := linesOf(a.raw)
	read := tables.Read(lines)
	table, head := -1, (*tables.Head)(nil)
	for i := range read {
		r := &read[i]
		if r.Kind != tables.Data || r.Head != nil && r.Head.Guessed && i == r.Head.First {
			continue
		}
		row := gridRow{span: spans[i], cells: r.Cells, headers: r.Names, about: r.About, title: titleOf(lines, r)}
		from := spans[i][0]
		if r.Head != nil {
			from = spans[r.Head.First][0]
			row.header = [2]int{from, spans[r.Head.Last][1]}
		}
		if row.headers == nil {
			row.headers = make([]string, len(row.cells))
		}
		if r.Table != table || r.Head != head {
			table, head = r.Table, r.Head
			a.tables = append(a.tables, grid{from: from})
		}
		g := &a.tables[len(a.tables)-1]
		g.rows, g.to = append(g.rows, row), spans[i][1]
	}
	return a.tables
}

// linesOf divides a text into lines. spans are their bytes.
func linesOf(text string) (lines []tables.Line, spans [][2]int) {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := tables.Line{Text: strings.TrimSpace(text[at:end])}
		if isRow(line.Text) {
			line.Cells = cellsOf(line.Text)
		}
		lines, spans = append(lines, line), append(spans, [2]int{at, end})
		at = end + 1
	}
	tables.DropLone(lines)
	return lines, spans
}

// titleOf returns the line above a table, and the title of the row's part of it.
func titleOf(lines []tables.Line, r *tables.Row) string {
	first, title := r.Table, ""
	if r.Head != nil {
		first = r.Head.First
	}
	for i := first - 1; i >= max(0, first-2); i-- {
		if above := lines[i]; above.Text != "" {
			if above.Cells == nil && len(above.Text) <= maxTitle {
				title = above.Text
			}
			break
		}
	}
	if r.Part > first && len(lines[r.Part].Text) <= maxTitle {
		title = strings.TrimSpace(title + "\n" + lines[r.Part].Text)
	}
	return title
}

// lineEnd returns where the line that a position lies in ends.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// isRow reports whether a line consists of cells.
func isRow(line string) bool {
	return len(line) <= maxTableRow && strings.Contains(strings.Trim(line, "| "), "|")
}

// cellsOf splits a row. The bars at its ends are none of its cells.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|") && len(line) > 1 {
		line = line[1 : len(line)-1]
	}
	cells := strings.Split(line, "|")
	for i := range cells {
		cells[i] = strings.Trim(strings.TrimSpace(cells[i]), `"`)
	}
	return cells
}

// rowAt returns the row that a byte of a passage lies in, nil if there is none.
func (a *analysed) rowAt(at int) *gridRow {
	for _, g := range a.tablesOf() {
		for i := range g.rows {
			if row := &g.rows[i]; at >= row.span[0] && at < row.span[1] {
				return row
			}
		}
	}
	return nil
}

// judgeTables compares the claim with the tables of a passage. It returns "" if none of them
// is about the claim, and the row.
func (k *Checker) judgeTables(c *analysed, passage int) (level string, row [2]int) {
	p := k.passage(passage)
	for i := range p.tablesOf() {
		g := &p.tables[i]
		if at, quoted := k.quotedRow(c, p, g); quoted {
			return Supported, at
		}
		found, at, _ := k.judgeRows(c, p, g, k.focus, nil)
		if found != Supported && len(k.claimParts) > 1 {
			if apart, first := k.judgeParts(c, p, g); apart == Supported || apart == Weak && found == Unsupported {
				found, at = apart, first
			}
		}
		if found != Supported {
			if first, all := k.judgeEach(c, p, g); all {
				found, at = Supported, first
			}
		}
		if found == Supported {
			return found, at
		}
		if found == Unsupported || found == Weak && level == "" {
			level, row = found, at
		}
	}
	return level, row
}

// quotedRow returns the row of which the claim consists, as headers with their cells: "Band: A;
// Midpoint: 28,900". The first column must be among them, because it says which row is meant.
func (k *Checker) quotedRow(c, p *analysed, g *grid) (row [2]int, found bool) {
	said := strings.ReplaceAll(strings.Trim(c.raw[k.focus[0]:k.focus[1]], " .;\n"), "＄", "$")
	if !strings.Contains(said, "; ") {
		return row, false
	}
	for i := range g.rows {
		r := &g.rows[i]
		pairs := strings.Split(strings.TrimSuffix(said, " ("+r.about+")"), "; ")
		if len(pairs) > 1 && len(pairs) <= maxColumns && r.consistsOf(pairs) {
			return r.span, true
		}
	}
	return row, false
}

// consistsOf reports whether pairs are headers with the cells below them, the first one included.
func (r *gridRow) consistsOf(pairs []string) bool {
	next := 0
	for j, cell := range r.cells {
		pair := cell
		if r.headers[j] != "" {
			pair = r.headers[j] + ": " + cell
		}
		if next < len(pairs) && strings.EqualFold(pairs[next], pair) {
			next++
		} else if j == 0 && cell != "" {
			return false
		}
	}
	return next == len(pairs)
}

// judgeEach reports whether a claim says something of each of several rows that all of them say:
// "Maple and Oak have 12 seats each".
func (k *Checker) judgeEach(c, p *analysed, g *grid) (first [2]int, all bool) {
	if !k.saysEach(c) {
		return first, false
	}
	var named []*tableReading
	var labels []int32 // tokens of the claim
	for _, t := range k.readRows(c, p, g, k.focus) {
		if len(t.labels) == 0 {
			continue
		}
		if len(named) == 0 || t.row.span[0] < first[0] {
			first = t.row.span
		}
		named, labels = append(named, t), append(labels, t.labels...)
	}
	for _, t := range named {
		if t.others = labels; t.judge() != Supported {
			return first, false
		}
	}
	return first, len(named) > 1
}

// saysEach reports whether the claim speaks of every one of some things.
func (k *Checker) saysEach(c *analysed) bool {
	for i := range c.tokens {
		if m, _ := c.meaningAt(i); m == meansAll && k.inFocus(c, int32(i)) {
			return true
		}
	}
	return false
}

// judgeParts compares each part of the claim with a row of its own. A part that names no column speaks
// of that of the part before: Alba has 34 staff, and Boras 51.
func (k *Checker) judgeParts(c, p *analysed, g *grid) (level string, row [2]int) {
	var named *tableReading
	for i := range k.claimParts {
		part := &k.claimParts[i]
		if !part.hasContent {
			continue
		}
		found, at, reading := k.judgeRows(c, p, g, [2]int{int(c.tokens[part.first].start), int(c.tokens[part.last-1].end)}, named)
		named = reading
		switch {
		case found == Unsupported || found == "":
			return found, at
		case level == "":
			level, row = found, at
		case found == Weak:
			level = Weak
		}
	}
	return level, row
}

// judgeRows compares a range of the claim with the rows of a table that share most with it. before is
// the row that carries the range before, nil if there is none.
func (k *Checker) judgeRows(c, p *analysed, g *grid, span [2]int, before *tableReading) (level string, row [2]int, carries *tableReading) {
	shared := 0
	readings := k.readRows(c, p, g, span)
	for _, t := range readings {
		if slices.ContainsFunc(readings, t.lessNamed) {
			continue
		}
		t.before = before
		switch found := t.judge(); {
		case found == Supported:
			return Supported, t.row.span, t
		case found != "" && (level == "" || found == Unsupported && (t.shared == shared || t.whole)):
			level, row, shared = found, t.row.span, t.shared
		}
	}
	if level == Unsupported && sharedOut(readings) {
		level, k.rowsAgree = Weak, true
	}
	return level, row, nil
}

// sharedOut reports whether the claim names several rows, and each of its values stands in the row
// that is named nearest to it: rose from 4,100 in 2021 to 6,900 in 2023. Then no row contradicts it.
func sharedOut(readings []*tableReading) bool {
	rows, values := 0, 0
	for _, t := range readings {
		if len(t.labels) > 0 {
			rows++
		}
		values = max(values, len(t.values))
	}
	if rows < 2 || values < 2 {
		return false
	}
	for _, t := range readings {
		for _, v := range t.values {
			named := slices.ContainsFunc(readings, func(r *tableReading) bool { return slices.Contains(r.labels, v.f.first) })
			if !named && !nearestHas(readings, v.f) {
				return false
			}
		}
	}
	return true
}

// nearestHas reports whether a value stands in the row that the claim names nearest to it, or in one
// of those that are as near.
func nearestHas(readings []*tableReading, f *fact) bool {
	nearest, found := int32(farAway), false
	for _, t := range readings {
		for _, label := range t.labels {
			distance := t.c.distance(f.first, f.last, label)
			equal := slices.ContainsFunc(t.values, func(v cellValue) bool { return v.f == f && v.equal != 0 })
			switch {
			case distance < nearest:
				nearest, found = distance, equal
			case distance == nearest:
				found = found || equal
			}
		}
	}
	return found
}

// readRows reads the rows that share most with a range of the claim.
func (k *Checker) readRows(c, p *analysed, g *grid, span [2]int) (readings []*tableReading) {
	for _, near := range k.nearestRows(c, p, g, span) {
		if t := k.readRow(c, near.row); t != nil {
			t.nearRow, t.span = near, span
			readings = append(readings, t)
		}
	}
	return readings
}

// lessNamed reports whether the claim names another row better: "apples", where this row is of
// "red apples", and "red apples", where it is of "apples".
func (t *tableReading) lessNamed(other *tableReading) bool {
	if !other.whole || len(other.labels) == 0 {
		return false
	}
	if !t.whole {
		return true
	}
	if len(t.labels) >= len(other.labels) {
		return false
	}
	for _, tok := range t.labels {
		if !slices.Contains(other.labels, tok) {
			return false
		}
	}
	return true
}

// labelWord marks the words of a row's label that name it. Names may have small words: Team Plus.
const labelWord = isContent | inFact | hasCapital

// A nearRow is a row and how many words and numbers it shares with the claim.
type nearRow struct {
	row    *gridRow
	shared int
	whole  bool // the claim has every word and number of the row's label
}

func (r nearRow) before(other nearRow) bool {
	return r.whole && !other.whole || r.whole == other.whole && r.shared > other.shared
}

// nearestRows returns the rows that share most with the claim: first those that it names by
// their whole label, of rows alike those with most. Rows and tokens are both in order, so each
// token is looked at once.
func (k *Checker) nearestRows(c, p *analysed, g *grid, span [2]int) []nearRow {
	if len(g.rows) == 0 {
		return nil
	}
	k.wordsIn(c, span)
	var best []nearRow
	i := p.tokenFrom(g.rows[0].span[0])
	k.steps -= i
	for r := range g.rows {
		row := g.rows[r].span
		near, label, lacks := nearRow{row: &g.rows[r]}, labelEnd(p.raw, row), false
		for ; i < len(p.tokens); i++ {
			t := &p.tokens[i]
			at := int(t.start)
			if at >= row[1] {
				break
			}
			if at < row[0] || !t.is(labelWord) {
				continue
			}
			found, inLabel := k.inClaim(t), at < label
			if found && t.is(isContent|inFact) {
				near.shared++
				near.whole = near.whole || inLabel
			}
			lacks = lacks || inLabel && !found
		}
		if near.shared == 0 {
			continue
		}
		near.whole = near.whole && !lacks
		at := len(best)
		for at > 0 && near.before(best[at-1]) {
			at--
		}
		if at == triedRows {
			continue
		}
		if best = slices.Insert(best, at, near); len(best) > triedRows {
			best = best[:triedRows]
		}
	}
	k.steps += i
	return best
}

// labelEnd returns where the first cell of a row ends.
func labelEnd(text string, row [2]int) int {
	line := text[row[0]:row[1]]
	first := len(line) - len(strings.TrimLeft(line, " \t|"))
	if n := strings.IndexByte(line[first:], '|'); n >= 0 {
		return row[0] + first + n
	}
	return row[1]
}

// tokenFrom returns the first token that begins at a byte or behind it.
func (a *analysed) tokenFrom(at int) int {
	i, _ := slices.BinarySearchFunc(a.tokens, int32(at), func(t token, at int32) int { return int(t.start - at) })
	return i
}

// wordsIn collects the words and numbers of a range of the claim for inClaim.
func (k *Checker) wordsIn(c *analysed, span [2]int) {
	k.claimRaw.reset(len(c.tokens))
	k.claimKeys.reset(len(c.tokens))
	for j := range c.tokens {
		if u := &c.tokens[j]; int(u.start) >= span[0] && int(u.end) <= span[1] {
			k.claimRaw.put(u.raw, int32(j))
			if u.is(isContent | inFact) {
				k.claimKeys.put(u.key, int32(j))
			}
		}
	}
}

// inClaim reports whether the claim has a word or number of the passage.
func (k *Checker) inClaim(t *token) bool {
	return k.claimRaw.get(t.raw) >= 0 || t.is(isContent) && k.claimKeys.get(t.key) >= 0
}

// inTable reports whether a sentence is a row of a table or its header.
func (a *analysed) inTable(s textSpan) bool {
	at := int(a.tokens[s.first].start)
	for i := range a.tablesOf() {
		g := &a.tables[i]
		if at >= g.from && at < g.to {
			return true
		}
	}
	return false
}
