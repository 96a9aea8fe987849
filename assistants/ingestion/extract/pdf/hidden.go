package pdf

import "math"

const (
	// maxClipPoints is the most points of a clipping path that are looked at.
	maxClipPoints = 64
	// hiddenBeyond is how far outside of its clipping path a text is hidden.
	hiddenBeyond = 1
	// maxHiddenShare is how much more text a page may hide than it shows. A page that hides
	// more is a scan with the text that was recognised on it.
	maxHiddenShare = 10
)

// everywhere is the box of a drawing that is not clipped.
var everywhere = box{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}

func (b box) intersect(c box) box {
	return box{max(b.left, c.left), max(b.top, c.top), min(b.right, c.right), min(b.bottom, c.bottom)}
}

// outside reports whether no point of b is within or close to c.
func (b box) outside(c box) bool {
	return b.left > c.right+hiddenBeyond || b.right < c.left-hiddenBeyond || b.top > c.bottom+hiddenBeyond || b.bottom < c.top-hiddenBeyond
}

// clipped returns the part of a drawing's clip in which an object of it may be seen.
func (r *ruleReader) clipped(object uint64, d drawing) (box, error) {
	path, err := r.call("FPDFPageObj_GetClipPath", object)
	if err != nil || path == 0 {
		return d.clip, err
	}
	n, err := r.integer("FPDFClipPath_CountPaths", path)
	if err != nil {
		return d.clip, err
	}
	clip := d.clip
	for i := range n {
		b, ok, err := r.clipBox(path, uint64(i))
		if err != nil {
			return d.clip, err
		}
		if ok {
			clip = clip.intersect(d.matrix.transform(b))
		}
	}
	return clip, nil
}

// clipBox returns the box around the i-th part of a clipping path; false: it is not looked at.
func (r *ruleReader) clipBox(path, i uint64) (box, bool, error) {
	n, err := r.integer("FPDFClipPath_CountPathSegments", path, i)
	if err != nil || n <= 0 || n > maxClipPoints {
		return box{}, false, err
	}
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for j := range n {
		segment, err := r.call("FPDFClipPath_GetPathSegment", path, i, uint64(j))
		if err != nil {
			return box{}, false, err
		}
		ok, err := r.integer("FPDFPathSegment_GetPoint", segment, uint64(r.scratch), uint64(r.scratch)+4)
		if err != nil || ok == 0 {
			return box{}, false, err
		}
		x, y := r.float(0), r.float(1)
		b = b.union(box{x, y, x, y})
	}
	return b, true, nil
}

// noteHidden notes a text of a drawing that cannot be seen, because it is outside of what
// its clipping path shows. Programs that place a page within another one leave such text.
func (r *ruleReader) noteHidden(object uint64, d drawing) error {
	clip, err := r.clipped(object, d)
	if err != nil || clip == everywhere {
		return err
	}
	b, ok, err := r.bounds(object)
	if err != nil || !ok || b.width() <= 0 || b.height() <= 0 {
		return err
	}
	if d.matrix.transform(b).outside(clip) {
		if r.hidden == nil {
			r.hidden = make(map[uint64]bool)
		}
		r.hidden[object] = true
	}
	return nil
}

// withoutHidden reads the page's words again without hidden texts. If nearly all are hidden,
// it returns the words as they are.
func (p *pdfPage) withoutHidden(words []word, hidden map[uint64]bool) ([]word, error) {
	p.hidden = hidden
	shown, err := p.words()
	if err != nil {
		return nil, err
	}
	if n := countGlyphs(shown); countGlyphs(words)-n > maxHiddenShare*n {
		return words, nil
	}
	return shown, nil
}

func countGlyphs(words []word) int {
	n := 0
	for _, w := range words {
		n += len(w.glyphs)
	}
	return n
}

// isHidden reports whether the i-th character belongs to a text that is left out.
func (p *pdfPage) isHidden(i int) (bool, error) {
	if len(p.hidden) == 0 {
		return false, nil
	}
	object, err := p.call("FPDFText_GetTextObject", p.text, uint64(i))
	return p.hidden[object], err
}
