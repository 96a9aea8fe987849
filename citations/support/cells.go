package support

import "slices"

// A claim about a cell names its row and its column. A column is named by the words and dates of
// its header that the claim has; the one that has all of another's and more is meant. Without
// such a name the value must be the only one of its kind in the row.

// columns is a set of columns of a row.
type columns uint32

func (s columns) has(j int) bool { return s>>j&1 != 0 }

// items is a set of words and values of the claim.
type items uint64

// within reports whether s is a part of other, and not all of it.
func (s items) within(other items) bool { return s&^other == 0 && s != other }

// tableReading is the comparison of a claim with one row.
type tableReading struct {
	nearRow
	k       *Checker
	c       *analysed
	span    [2]int // of the claim, in bytes
	title   *analysed
	headers []*analysed
	cells   []*analysed
	named   [maxColumns]items // what the claim has of each header
	used    columns           // of whose cells the claim has a word or value
	worded  columns           // of these, those of which it has a word
	valued  columns           // and those of which it has a value
	open    int               // words and values that are nowhere
	wrong   bool              // a cell that the claim speaks of says something else
	agreed  bool              // a cell says no, and so does the claim
	values  []cellValue       // of the claim, with their cells
	labels  []int32           // tokens that name the row
	others  []int32           // tokens that name other rows, of which the claim says the same
	before  *tableReading     // of the part before, whose columns a part without any names
	trend   int8              // the claim says that a value rose or fell
	trended bool
	measure bool // a verb says what is measured, and no header or title does: costs, employs
	counted bool // a word says what is counted, and none does: people
}

// readRow analyses a row with its headers and title; nil if it is too wide.
func (k *Checker) readRow(c *analysed, row *gridRow) *tableReading {
	if len(row.cells) > maxColumns {
		return nil
	}
	t := &tableReading{k: k, c: c, title: k.readCell(row.title, c.language)}
	for _, h := range row.headers {
		t.headers = append(t.headers, k.readCell(h, c.language))
	}
	for _, cell := range row.cells {
		t.cells = append(t.cells, k.readCell(cell, c.language))
	}
	t.labels = t.labelTokens()
	return t
}

// maxCells bounds the cells whose analysis a checker keeps.
const maxCells = 4000

// A cellText is a cell, a header or a title, in the language that it is read in.
type cellText struct {
	text     string
	language language
}

// readCell analyses a cell. Claims about one table ask for the same ones.
func (k *Checker) readCell(text string, lang language) *analysed {
	key := cellText{text, lang}
	if a := k.cells[key]; a != nil {
		return a
	}
	if k.cells == nil || len(k.cells) == maxCells {
		k.cells = map[cellText]*analysed{}
	}
	k.steps += len(text)
	a := analyse(text, lang)
	k.cells[key] = a
	return a
}

// judge compares the words and values of the claim with the row.
func (t *tableReading) judge() string {
	c := t.c
	for n := range t.k.terms {
		if t.within(t.k.terms[n].tok) {
			t.findWord(int32(n))
		}
	}
	for i := range c.facts {
		if t.within(c.facts[i].first) {
			t.findHeader(&c.facts[i], items(1)<<((len(t.k.terms)+i)%64))
		}
	}
	if t.before != nil && !t.anyNamed() && slices.ContainsFunc(t.labels, t.within) {
		t.named = t.before.named
	}
	t.sayYes()
	for i := range c.facts {
		if t.within(c.facts[i].first) {
			t.findValue(&c.facts[i], items(1)<<((len(t.k.terms)+i)%64))
		}
	}
	t.pairValues()
	t.checkColumns()
	switch {
	case len(t.labels) == 0:
		return ""
	case t.wrong:
		return Unsupported
	case t.used == 0:
		if t.anyNamed() {
			return Weak
		}
		return ""
	case t.open > 0 || t.trend != 0 && !t.trended || t.measure && !t.hasUnit() || t.counted && !t.anyNamed() || t.says():
		return Weak
	}
	return Supported
}

// hasUnit reports whether a value of the claim has a unit.
func (t *tableReading) hasUnit() bool {
	for i := range t.c.facts {
		if f := &t.c.facts[i]; t.within(f.first) && f.kind == amountFact && f.dim != countless {
			return true
		}
	}
	return false
}

// says reports whether the claim has a negation, modal or quantifier, which no cell carries.
func (t *tableReading) says() bool {
	for i := range t.c.tokens {
		tok := &t.c.tokens[i]
		if !t.within(int32(i)) || t.isKind(i) {
			continue
		}
		m, _ := t.c.meaningAt(i)
		if tok.is(negated) && !t.agreed || tok.is(reserved) || m.isModal() || m.bounds() || t.once(i, m) || m.quantifies() && m != meansAll && (m != meansNo || !t.agreed) {
			return true
		}
	}
	return false
}

// isKind reports whether a word next to the row's name is what such rows are called: "plan"
// in "the Basic plan".
func (t *tableReading) isKind(i int) bool {
	if i < 0 {
		return false
	}
	beside := slices.Contains(t.labels, int32(i)-1) || slices.Contains(t.labels, int32(i)+1)
	return beside && t.headers[0].hasWord(t.c.tokens[i].raw)
}

// once reports whether "once" stands between the name of the row and a verb, and nowhere in
// the row: the Alpha once weighed.
func (t *tableReading) once(i int, m meaning) bool {
	next := t.c.token(i + 1)
	if m != meansAfter || next == nil || !next.is(isContent) && !t.c.senseAt(i+1).has || !slices.Contains(t.labels, int32(i)-1) && !t.isKind(i-1) {
		return false
	}
	return !slices.ContainsFunc(t.cells, func(cell *analysed) bool { return cell.hasWord(t.c.tokens[i].raw) })
}

// within reports whether a token is in the range of the claim that is compared.
func (t *tableReading) within(tok int32) bool {
	u := &t.c.tokens[tok]
	return int(u.end) > t.span[0] && int(u.start) < t.span[1]
}

// has reports whether a text has a word of the claim, and whether only one of the two denies it.
func (t *tableReading) has(n int32, a *analysed) (found, denied bool) {
	k := t.k
	before := len(k.hits)
	k.lookUp(t.c, n, a)
	for i := before; i < len(k.hits); i++ {
		h := &k.hits[i]
		if !h.opposite && !k.looseHit(t.c, a, h) {
			found, denied = true, a.tokens[h.tok].is(negated) != t.c.tokens[k.terms[n].tok].is(negated)
		}
	}
	k.hits = k.hits[:before]
	return found, denied
}

// findWord looks for a word in the headers, the cells and the title.
func (t *tableReading) findWord(n int32) {
	tok := t.k.terms[n].tok
	word := &t.c.tokens[tok]
	known := slices.Contains(t.others, tok) || slices.Contains(t.labels, tok)
	for j, h := range t.headers {
		if found, _ := t.has(n, h); found {
			t.named[j] |= items(1) << (n % 64)
			known = true
		}
	}
	inTitle, _ := t.has(n, t.title)
	inLabel, _ := t.has(n, t.cells[0])
	known = known || inTitle || inLabel
	for j, cell := range t.cells[1:] {
		found, denied := t.has(n, cell)
		if !found || known {
			continue
		}
		t.used, t.worded = t.used|2<<j, t.worded|2<<j
		t.wrong = t.wrong || denied && !word.is(negated)
		t.agreed = t.agreed || !denied && word.is(negated)
	}
	m, _ := t.c.meaningAt(int(tok))
	switch {
	case known || t.worded != 0 && t.inCells(n) || m.quantifies() || m.isModal():
	case !t.c.sure && word.kind == wordToken && !t.extendsLabel(tok) && theLexicon().smallSomewhere(word.entry):
	case t.c.little(tok):
		t.counted = t.counted || word.concept != 0 && tok > 0 && t.c.tokens[tok-1].is(inFact)
	case t.c.sense(word).measure().dim == calendar && t.c.token(int(tok)+1) != nil && t.c.tokens[tok+1].is(inFact): // the year 2022
	case m == meansLink:
		t.measure = t.measure || word.concept != 0 && slices.Contains(theLexicon().measures, word.concept)
	case word.concept != 0 && word.concept == theLexicon().trend:
		t.trend = word.sign
	default:
		t.open++
	}
}

// extendsLabel reports whether a word with a capital stands next to the row's name: "Pro" in
// "Alpha Pro", where the row is Alpha.
func (t *tableReading) extendsLabel(tok int32) bool {
	word := &t.c.tokens[tok]
	return word.is(hasCapital) && !t.cells[0].hasWord(word.raw) && (slices.Contains(t.labels, tok-1) || slices.Contains(t.labels, tok+1))
}

// inCells reports whether a cell has a word of the claim.
func (t *tableReading) inCells(n int32) bool {
	for _, cell := range t.cells[1:] {
		if found, _ := t.has(n, cell); found {
			return true
		}
	}
	return false
}

// findHeader looks for a value in the headers.
func (t *tableReading) findHeader(f *fact, item items) {
	for j, h := range t.headers {
		if t.equalIn(f, h) {
			t.named[j] |= item
		}
	}
}

func (t *tableReading) anyNamed() bool {
	for _, named := range t.named[1:] {
		if named != 0 {
			return true
		}
	}
	return false
}

// labelTokens returns the tokens of the claim that name the row: half of the words of its first
// cell at least.
func (t *tableReading) labelTokens() []int32 {
	var tokens []int32
	label := t.cells[0]
	all := 0
	for i := range label.tokens {
		tok := &label.tokens[i]
		if !tok.is(labelWord) {
			continue
		}
		all++
		for j := range t.c.tokens {
			if u := &t.c.tokens[j]; u.raw == tok.raw || u.is(isContent) && u.key == tok.key && u.sign == tok.sign {
				tokens = append(tokens, int32(j))
				break
			}
		}
	}
	if 2*len(tokens) < all {
		return nil
	}
	return tokens
}

// sayYes reads the cells that only say yes or no to the header above them.
func (t *tableReading) sayYes() {
	for j, cell := range t.cells {
		if j == 0 || t.named[j] == 0 || t.moreNamed(j) != 0 {
			continue
		}
		answer := cell.answer()
		switch denies := t.denies(j); {
		case answer == meansNothing:
		case denies != (answer == meansNo):
			t.wrong = true
		default:
			t.used |= 1 << j
			t.agreed = t.agreed || denies
		}
	}
}

// denies reports whether the claim denies the words that name a column.
func (t *tableReading) denies(column int) bool {
	for n := range t.k.terms {
		if t.named[column]&(1<<(n%64)) != 0 && t.c.tokens[t.k.terms[n].tok].is(negated) {
			return true
		}
	}
	return false
}

// moreNamed returns the columns of which the claim has all that it has of this one, and more.
func (t *tableReading) moreNamed(column int) columns {
	var s columns
	for j := 1; j < len(t.headers); j++ {
		if t.named[column].within(t.named[j]) {
			s |= 1 << j
		}
	}
	return s
}

// checkColumns looks for words of the claim that stand below a header which it does not name,
// while it names one of whose cell it has nothing.
func (t *tableReading) checkColumns() {
	for j, cell := range t.cells {
		if !t.worded.has(j) || t.valued.has(j) {
			continue
		}
		if t.moreNamed(j)&^t.used != 0 || t.lacksValue(cell) {
			t.open++
		}
	}
}

// lacksValue reports whether a cell has a number that the claim lacks: twice daily.
func (t *tableReading) lacksValue(cell *analysed) bool {
	for i := range cell.facts {
		found := false
		for j := range t.c.facts {
			found = found || compareFacts(t.c, &t.c.facts[j], cell, &cell.facts[i]) == same
		}
		if !found {
			return true
		}
	}
	return false
}
