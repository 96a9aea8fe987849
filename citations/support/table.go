package support

import "strings"

// A row of a table says what its cells, the header of each column and the title above them
// say together. So a claim about a cell is compared with a row and a column. Rows are the
// lines that cells with bars between them make, whatever format they came from.

const (
	maxColumns  = 32 // of a row; a wider one is read as text
	triedRows   = 3  // rows of a table that a claim is compared with
	maxTitle    = 240
	maxTableRow = 4000 // bytes
)

// grid is a table in a passage. Its parts are ranges of bytes.
type grid struct {
	title  [2]int
	header [2]int
	rows   [][2]int
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
	var open *grid
	last := [2]int{} // the text line before
	for at := 0; at < len(a.raw); {
		end := at + strings.IndexByte(a.raw[at:]+"\n", '\n')
		line := strings.TrimSpace(a.raw[at:end])
		switch {
		case !isRow(line):
			open = nil
			if line != "" {
				last = [2]int{at, end}
			}
		case open == nil:
			a.tables = append(a.tables, grid{header: [2]int{at, end}})
			open = &a.tables[len(a.tables)-1]
			if last[1]-last[0] <= maxTitle && strings.Count(a.raw[last[1]:at], "\n") <= 2 {
				open.title = last
			}
		case !isRuler(line):
			open.rows = append(open.rows, [2]int{at, end})
		}
		at = end + 1
	}
	return a.tables
}

// isRow reports whether a line consists of cells.
func isRow(line string) bool {
	return len(line) <= maxTableRow && strings.Contains(strings.Trim(line, "| "), "|")
}

// isRuler reports whether a line separates the header of a Markdown table from its rows.
func isRuler(line string) bool {
	return strings.Trim(line, "|-: \t") == ""
}

// cellsOf splits a row. The bars at its ends are none of its cells.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|") && len(line) > 1 {
		line = line[1 : len(line)-1]
	}
	cells := strings.Split(line, "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// rowAt returns the table and the row that a byte of a passage lies in.
func (a *analysed) rowAt(at int) (*grid, [2]int, bool) {
	tables := a.tablesOf()
	for i := range tables {
		for _, row := range tables[i].rows {
			if at >= row[0] && at < row[1] {
				return &tables[i], row, true
			}
		}
	}
	return nil, [2]int{}, false
}

// tableReading is the comparison of a claim with one row.
type tableReading struct {
	k       *Checker
	c       *analysed
	span    [2]int // of the claim, in bytes
	title   *analysed
	headers []*analysed
	cells   []*analysed
	columns uint32 // whose header the claim names
	years   uint32 // of these, those that the claim names by a date
	dated   uint32 // columns with a date in their header
	label   bool   // the claim names the row
	open    int    // words and values that are nowhere
	wrong   bool   // a cell that the claim speaks of says something else
	checked int    // words and values of the row
	trend   int8   // the claim says that a value rose or fell
	trended bool
}

// judgeTables compares the claim with the tables of a passage. It returns "" if none of them
// is about the claim, and the row.
func (k *Checker) judgeTables(c *analysed, passage int) (level string, row [2]int) {
	p := k.passage(passage)
	for i := range p.tablesOf() {
		g := &p.tables[i]
		found, at := k.judgeRows(c, p, g, k.focus)
		if found != Supported && len(k.claimParts) > 1 {
			if apart, first := k.judgeParts(c, p, g); apart == Supported {
				found, at = apart, first
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

// judgeParts compares each part of the claim with a row of its own.
func (k *Checker) judgeParts(c, p *analysed, g *grid) (level string, row [2]int) {
	for i := range k.claimParts {
		part := &k.claimParts[i]
		if !part.hasContent {
			continue
		}
		found, at := k.judgeRows(c, p, g, [2]int{int(c.tokens[part.first].start), int(c.tokens[part.last-1].end)})
		if found != Supported {
			return found, at
		}
		if level == "" {
			level, row = found, at
		}
	}
	return level, row
}

// judgeRows compares a range of the claim with the rows of a table that share most with it.
func (k *Checker) judgeRows(c, p *analysed, g *grid, span [2]int) (level string, row [2]int) {
	for _, at := range k.nearestRows(c, p, g, span) {
		t := k.readRow(c, p, g, at)
		if t == nil {
			continue
		}
		t.span = span
		switch found := t.judge(); {
		case found == Supported:
			return Supported, at
		case found == Unsupported || found == Weak && level == "":
			level, row = found, at
		}
	}
	return level, row
}

// nearestRows returns the rows that share most with the claim.
func (k *Checker) nearestRows(c, p *analysed, g *grid, span [2]int) [][2]int {
	var best [][2]int
	var scores []int
	for _, row := range g.rows {
		score := 0
		for i := range p.tokens {
			t := &p.tokens[i]
			if int(t.start) >= row[1] {
				break
			}
			if int(t.start) >= row[0] && t.is(isContent|inFact) && k.inClaim(c, p, int32(i), span) {
				score++
			}
		}
		if score == 0 {
			continue
		}
		at := len(best)
		for at > 0 && scores[at-1] < score {
			at--
		}
		if at >= triedRows {
			continue
		}
		best = append(best[:at], append([][2]int{row}, best[at:]...)...)
		scores = append(scores[:at], append([]int{score}, scores[at:]...)...)
		if len(best) > triedRows {
			best, scores = best[:triedRows], scores[:triedRows]
		}
	}
	return best
}

// inClaim reports whether the claim has a word or number of the passage.
func (k *Checker) inClaim(c, p *analysed, i int32, span [2]int) bool {
	t := &p.tokens[i]
	for j := range c.tokens {
		u := &c.tokens[j]
		if int(u.start) >= span[0] && int(u.end) <= span[1] && u.is(isContent|inFact) && (u.raw == t.raw || u.key == t.key && t.is(isContent)) {
			return true
		}
	}
	return false
}

// readRow analyses a row with its header and title; nil if it is too wide.
func (k *Checker) readRow(c, p *analysed, g *grid, row [2]int) *tableReading {
	headers, cells := cellsOf(p.raw[g.header[0]:g.header[1]]), cellsOf(p.raw[row[0]:row[1]])
	if len(cells) > maxColumns || len(headers) < len(cells) {
		return nil
	}
	lang := c.language
	t := &tableReading{k: k, c: c, title: analyse(p.raw[g.title[0]:g.title[1]], lang)}
	for _, h := range headers[:min(len(headers), maxColumns)] {
		t.headers = append(t.headers, analyse(h, lang))
	}
	for _, cell := range cells {
		t.cells = append(t.cells, analyse(cell, lang))
	}
	k.steps += len(p.raw[row[0]:row[1]]) + g.header[1] - g.header[0]
	return t
}

// judge compares the words and values of the claim with the row.
func (t *tableReading) judge() string {
	k, c := t.k, t.c
	for n := range k.terms {
		if t.within(k.terms[n].tok) {
			t.findWord(int32(n))
		}
	}
	for i := range c.facts {
		if t.within(c.facts[i].first) && c.facts[i].kind == dateFact {
			t.findDate(&c.facts[i])
		}
	}
	for j, h := range t.headers {
		for i := range h.facts {
			if h.facts[i].kind == dateFact {
				t.dated |= 1 << j
			}
		}
	}
	t.findLabel()
	for i := range c.facts {
		if f := &c.facts[i]; t.within(f.first) && f.kind != dateFact {
			t.findValue(f)
		}
	}
	switch {
	case !t.label || t.checked == 0:
		return ""
	case t.wrong:
		return Unsupported
	case t.open > 0 || t.trend != 0 && !t.trended || t.says():
		return Weak
	}
	return Supported
}

// says reports whether the claim has a negation, modal or quantifier, which no cell carries.
func (t *tableReading) says() bool {
	for i := range t.c.tokens {
		tok := &t.c.tokens[i]
		if !t.within(int32(i)) {
			continue
		}
		m, _ := t.c.meaningAt(i)
		if tok.is(negated) || m.isModal() || m.bounds() || m.quantifies() && m != meansAll {
			return true
		}
	}
	return false
}

// within reports whether a token is in the range of the claim that is compared.
func (t *tableReading) within(tok int32) bool {
	u := &t.c.tokens[tok]
	return int(u.end) > t.span[0] && int(u.start) < t.span[1]
}

// has reports whether a text has a word of the claim.
func (t *tableReading) has(n int32, a *analysed) bool {
	k := t.k
	before := len(k.hits)
	k.lookUp(t.c, n, a)
	found := false
	for i := before; i < len(k.hits); i++ {
		found = found || !k.hits[i].opposite && !k.looseHit(t.c, a, &k.hits[i])
	}
	k.hits = k.hits[:before]
	return found
}

// findWord looks for a word in the cells, the headers and the title.
func (t *tableReading) findWord(n int32) {
	tok := t.k.terms[n].tok
	word := &t.c.tokens[tok]
	found := false
	for j, h := range t.headers {
		if t.has(n, h) {
			t.columns |= 1 << j
			found = true
		}
	}
	for _, cell := range t.cells {
		if t.has(n, cell) {
			t.checked++
			found = true
		}
	}
	m, _ := t.c.meaningAt(int(tok))
	switch {
	case found || t.has(n, t.title) || t.c.little(tok) || m.quantifies() || m.isModal():
	case word.concept != 0 && word.concept == theLexicon().trend:
		t.trend = word.sign
	default:
		t.open++
	}
}

// findDate looks for a date in the headers, else in the cells and the title.
func (t *tableReading) findDate(f *fact) {
	found := false
	for j, h := range t.headers {
		if t.equalIn(f, h) {
			t.columns, t.years, found = t.columns|1<<j, t.years|1<<j, true
		}
	}
	for _, cell := range t.cells {
		found = found || t.equalIn(f, cell)
	}
	if !found && !t.equalIn(f, t.title) {
		t.open++
	}
}

func (t *tableReading) equalIn(f *fact, a *analysed) bool {
	for i := range a.facts {
		if compareFacts(t.c, f, a, &a.facts[i]) == same {
			return true
		}
	}
	return false
}

// findLabel reports whether the claim names the row: it has the words of its first cell.
func (t *tableReading) findLabel() {
	label := t.cells[0]
	all, named := 0, 0
	for i := range label.tokens {
		tok := &label.tokens[i]
		if !tok.is(isContent | inFact) {
			continue
		}
		all++
		for j := range t.c.tokens {
			if u := &t.c.tokens[j]; u.raw == tok.raw || u.is(isContent) && u.key == tok.key {
				named++
				break
			}
		}
	}
	t.label = named > 0 && 2*named >= all
}

// findValue looks for a value in the columns that the claim speaks of.
func (t *tableReading) findValue(f *fact) {
	var equal, other uint32
	for j, cell := range t.cells {
		for i := range cell.facts {
			switch t.compare(f, j, cell, &cell.facts[i]) {
			case same:
				equal |= 1 << j
			case rival:
				other |= 1 << j
			}
		}
	}
	if equal&1 != 0 {
		return // of the row's label
	}
	named := t.columns &^ 1
	if t.years != 0 && t.dated&(equal|other) != 0 {
		named = t.years
	}
	values := equal | other
	switch {
	case equal&named != 0, equal != 0 && named&values == 0 && values&(values-1) == 0:
		t.checked++
		t.checkTrend(equal&-equal, f)
	case named&other != 0:
		t.checked++
		t.wrong = true
	default:
		t.open++
	}
}

// compare compares a value of the claim with one of a cell, whose unit and scale the header
// or the title may name.
func (t *tableReading) compare(f *fact, column int, cell *analysed, g *fact) standing {
	if g.kind == dateFact && g.bare {
		g = &fact{kind: amountFact, value: g.value, count: g.value, other: g.other, ratio: g.ratio, digits: 4}
	}
	st := compareFacts(t.c, f, cell, g)
	if f.kind != amountFact || g.kind != amountFact || g.dim != countless || f.dim == percent {
		return st
	}
	if f.dim == countless && f.by <= 1 {
		if st == unlike {
			return rival
		}
		return st
	}
	if !t.unitOf(f, t.headers[column]) && !t.unitOf(f, t.title) {
		return unlike
	}
	if x := f.count / max(f.by, 1); equal(x, g.value) || equal(f.count, g.value) && f.by > 1 {
		return same
	}
	return rival
}

// unitOf reports whether a header or title names the unit and the scale of a value.
func (t *tableReading) unitOf(f *fact, a *analysed) bool {
	unit, scale := f.dim == countless, f.by <= 1
	for i := range a.tokens {
		tok := &a.tokens[i]
		s := tok.sense(a.language)
		u := s.measure()
		unit = unit || u.dim == f.dim && u.dim != countless && (f.dim != money || u.currency == f.currency) || f.dim == money && a.currencySign(i) == f.currency
		scale = scale || s.class&classScale != 0 && s.num == f.by
	}
	return unit && scale
}

// checkTrend compares the value with that of the year before, or reads the sign of a change.
func (t *tableReading) checkTrend(column uint32, f *fact) {
	if t.trend == 0 {
		return
	}
	at := 0
	for column>>at&1 == 0 {
		at++
	}
	now := t.cells[at].amount()
	if now == nil {
		return
	}
	if f.dim == percent {
		t.trended = true
		t.wrong = t.wrong || (now.minus || strings.HasPrefix(t.cells[at].raw, "−")) != (t.trend < 0)
		return
	}
	year := t.headers[at].year()
	for j, h := range t.headers {
		if j >= len(t.cells) || year == 0 || h.year() != year-1 {
			continue
		}
		if before := t.cells[j].amount(); before != nil && before.value != now.value {
			t.trended = true
			t.wrong = t.wrong || (now.value > before.value) != (t.trend > 0)
		}
	}
}

// amount returns the first amount of a cell.
func (a *analysed) amount() *fact {
	for i := range a.facts {
		if a.facts[i].kind == amountFact {
			return &a.facts[i]
		}
	}
	return nil
}

// year returns the year that a header names, 0 if none.
func (a *analysed) year() int16 {
	for i := range a.facts {
		if a.facts[i].kind == dateFact {
			return a.facts[i].date.year
		}
	}
	return 0
}
