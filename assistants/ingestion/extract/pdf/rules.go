package pdf

import (
	"math"
	"slices"
)

// Bounds of the drawing of a page. A page with more, such as a map, has no tables.
const (
	maxObjects = 30_000
	maxRules   = 3_000
)

// A rule is a horizontal or vertical line on the page. at is the coordinate that all its
// points share; from and to are its ends.
type rule struct{ at, from, to float64 }

// Kinds of objects on a page.
const (
	objectText = 1
	objectPath = 2
	objectForm = 5 // a drawing within the drawing
)

// A ruleReader collects the rules of a page and its hidden texts.
type ruleReader struct {
	*pdfPage
	turn, objects int
	across, down  []rule
	hidden        map[uint64]bool // the objects of texts that cannot be seen
}

// A drawing is a page, or a form within it: what its objects are got with, how many they are,
// how they are transformed, and where they can be seen.
type drawing struct {
	get    string
	of     uint64
	count  int
	matrix matrix
	clip   box
	depth  int // of the forms that may be read
}

// readRules reads the horizontal (across) and vertical (down) lines of the page, including
// edges of rectangles, rotated as the text is, and what text is hidden.
func (p *pdfPage) readRules(turn int) (*ruleReader, error) {
	r := &ruleReader{pdfPage: p, turn: turn}
	n, err := p.integer("FPDFPage_CountObjects", p.handle)
	if err != nil {
		return nil, err
	}
	if err := r.read(drawing{"FPDFPage_GetObject", p.handle, n, unmoved, everywhere, 4}); err != nil {
		return nil, err
	}
	if r.objects > maxObjects || r.tooMany() {
		r.across, r.down = nil, nil
	}
	r.across, r.down = joinRules(r.across), joinRules(r.down)
	return r, nil
}

func (r *ruleReader) tooMany() bool { return len(r.across)+len(r.down) > maxRules }

// A matrix transforms a drawing: x' = ax + cy + e, y' = bx + dy + f.
type matrix [6]float64

var unmoved = matrix{1, 0, 0, 1, 0, 0}

// within returns the matrix of a part with matrix m of a drawing with matrix n.
func (m matrix) within(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) transform(b box) box {
	x := [2]float64{m[0]*b.left + m[2]*b.top + m[4], m[0]*b.right + m[2]*b.bottom + m[4]}
	y := [2]float64{m[1]*b.left + m[3]*b.top + m[5], m[1]*b.right + m[3]*b.bottom + m[5]}
	return box{min(x[0], x[1]), min(y[0], y[1]), max(x[0], x[1]), max(y[0], y[1])}
}

func (r *ruleReader) read(d drawing) error {
	for i := range d.count {
		if r.objects++; r.objects > maxObjects {
			return nil
		}
		object, err := r.call(d.get, d.of, uint64(i))
		if err != nil {
			return err
		}
		kind, err := r.integer("FPDFPageObj_GetType", object)
		switch {
		case err != nil:
			return err
		case kind == objectText:
			err = r.noteHidden(object, d)
		case kind == objectPath && !r.tooMany():
			err = r.path(object, d.matrix)
		case kind == objectForm && d.depth > 0:
			err = r.form(object, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *ruleReader) form(object uint64, d drawing) error {
	clip, err := r.clipped(object, d)
	if err != nil {
		return err
	}
	ok, err := r.integer("FPDFPageObj_GetMatrix", object, r.scratchAddress(0))
	if err != nil || ok == 0 {
		return err
	}
	var own matrix
	for i := range own {
		own[i] = r.float(i)
	}
	n, err := r.integer("FPDFFormObj_CountObjects", object)
	if err != nil {
		return err
	}
	return r.read(drawing{"FPDFFormObj_GetObject", object, n, own.within(d.matrix), clip, d.depth - 1})
}

// bounds returns the box around an object, upwards and within its drawing; false: it has none.
func (r *ruleReader) bounds(object uint64) (box, bool, error) {
	at := uint64(r.scratch)
	ok, err := r.integer("FPDFPageObj_GetBounds", object, at, at+4, at+8, at+12)
	return box{r.float(0), r.float(1), r.float(2), r.float(3)}, ok != 0, err
}

func (r *ruleReader) path(object uint64, m matrix) error {
	b, ok, err := r.bounds(object)
	if err != nil || !ok {
		return err
	}
	b = m.transform(b)
	b = rotate(box{b.left, -b.bottom, b.right, -b.top}, r.turn)
	const thin, short = 2.5, 8
	switch {
	case b.width() > short && b.height() <= thin:
		r.across = append(r.across, rule{(b.top + b.bottom) / 2, b.left, b.right})
	case b.height() > short && b.width() <= thin:
		r.down = append(r.down, rule{(b.left + b.right) / 2, b.top, b.bottom})
	case b.width() > short && b.height() > short:
		r.across = append(r.across, rule{b.top, b.left, b.right}, rule{b.bottom, b.left, b.right})
		r.down = append(r.down, rule{b.left, b.top, b.bottom}, rule{b.right, b.top, b.bottom})
	}
	return nil
}

// sameLevel is how far apart rules may be that continue each other.
const sameLevel = 2

// joinRules joins rules that continue each other.
func joinRules(rules []rule) []rule {
	slices.SortStableFunc(rules, func(a, b rule) int { return compareFloat(a.at, b.at) })
	var out []rule
	for from := 0; from < len(rules); {
		to := from + 1
		for to < len(rules) && rules[to].at-rules[from].at < sameLevel {
			to++
		}
		level := rules[from:to]
		slices.SortStableFunc(level, func(a, b rule) int { return compareFloat(a.from, b.from) })
		for i, r := range level {
			if n := len(out); i > 0 && r.from < out[n-1].to+4 {
				out[n-1].to = max(out[n-1].to, r.to)
				continue
			}
			out = append(out, r)
		}
		from = to
	}
	return out
}

// A grid is a table with rules between its cells.
type grid struct {
	box     box
	rows    []float64 // y of the rules across
	columns []float64 // x of the rules down
	down    []rule    // all rules down of the page
	across  []rule    // all rules across it
}

// grids finds tables: rules across, one above the other and of about the same
// length, with rules down between their ends.
func grids(across, down []rule) []grid {
	var out []grid
	taken := make([]bool, len(across))
	for i, top := range across {
		if taken[i] {
			continue
		}
		g := grid{box: box{top.from, top.at, top.to, top.at}, rows: []float64{top.at}, down: down, across: across}
		for j := i + 1; j < len(across); j++ {
			r := across[j]
			if taken[j] || math.Abs(r.from-top.from) > 4 || math.Abs(r.to-top.to) > 4 {
				continue
			}
			if r.at-g.box.bottom > 2 && !bridged(down, g.box, r.at) {
				break
			}
			taken[j] = true
			if r.at-g.box.bottom > 2 {
				g.rows = append(g.rows, r.at)
				g.box.bottom = r.at
			}
		}
		g.divide(down)
		if len(g.rows) >= 3 && len(g.columns) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// divide finds the rules between a table's columns. If they extend beyond the first or
// last rule across, the table does, too.
func (g *grid) divide(down []rule) {
	top, bottom := g.box.top, g.box.bottom
	for _, d := range down {
		inside := d.at > g.box.left+4 && d.at < g.box.right-4
		overlap := min(d.to, bottom) - max(d.from, top)
		if !inside || overlap <= 0.5*(bottom-top) || overlap <= 0 {
			continue
		}
		if n := len(g.columns); n == 0 || d.at-g.columns[n-1] > 4 {
			g.columns = append(g.columns, d.at)
		}
		const rest = 6 // a smaller rest has no room for a line
		if d.to > g.box.bottom+rest {
			g.rows, g.box.bottom = append(g.rows, d.to), d.to
		}
		if d.from < g.box.top-rest {
			g.rows, g.box.top = slices.Insert(g.rows, 0, d.from), d.from
		}
	}
	g.dividePieces(down)
}

// leastPieces is the share of a table's height that the pieces of a rule down must have.
const leastPieces = 0.7

// dividePieces finds the columns whose rules are drawn in pieces, because the titles of the table's parts
// are between these.
func (g *grid) dividePieces(down []rule) {
	for from := 0; from < len(down); {
		to, covered, end := from, 0.0, g.box.top
		for ; to < len(down) && down[to].at-down[from].at < sameLevel; to++ {
			if d := down[to]; min(d.to, g.box.bottom) > max(d.from, end) {
				covered += min(d.to, g.box.bottom) - max(d.from, end)
				end = d.to
			}
		}
		at, pieces := down[from].at, to-from
		from = to
		if pieces == 1 || at <= g.box.left+4 || at >= g.box.right-4 || covered < leastPieces*g.box.height() || slices.ContainsFunc(g.columns, func(x float64) bool { return math.Abs(x-at) <= 4 }) {
			continue
		}
		g.columns = append(g.columns, at)
	}
	slices.Sort(g.columns)
}

// bridged reports whether a rule down leads from a table's lowest rule to the next.
func bridged(down []rule, b box, to float64) bool {
	for _, d := range down {
		if d.at >= b.left-4 && d.at <= b.right+4 && d.from < b.bottom+3 && d.to > to-3 {
			return true
		}
	}
	// Rules down may be drawn cell by cell, and end at every rule across.
	return false
}
