package support

// Levels of support.
const (
	Supported   = "supported"   // a passage says so
	Weak        = "weak"        // a passage is about it, but does not clearly say so
	Unsupported = "unsupported" // the passages say something else, or nothing about it
)

// Alike is the similarity from which a sentence says the same as a claim.
const Alike = .6

// MaxClaim is the number of bytes that are compared of a claim; of a longer one, those
// before the end of its focus.
const MaxClaim = 2000

const (
	maxPassage  = 64 << 10 // bytes of a passage that are read
	maxPassages = 16       // passages read for one marker
	maxChecked  = 40       // numbers and dates of a claim; one with more is weak at most
)

// A Claim is a sentence with markers.
type Claim struct {
	Text  string // the sentence, its markers replaced by spaces
	Focus [2]int // half-open range of bytes in Text that the marker answers for
	Own   []int  // numbers of the passages that the marker cites
	Group []int  // numbers of the passages that the adjacent markers cite
}

// A Finding is the result for one claim.
type Finding struct {
	Level   string  // Supported, Weak or Unsupported
	Score   float64 // 0 to 1, three decimals
	Passage int     // number of the quoted passage, -1 for none

	// Start and End are the quotation, in bytes of the passage; equal if there is none.
	Start, End int

	// HeaderStart and HeaderEnd are the header of the table that a quoted row belongs to, in
	// bytes of the passage; equal if the quotation is no row.
	HeaderStart, HeaderEnd int
}

// A Checker compares claims with passages. It analyses each passage once, when
// a claim first cites it. It is not safe for concurrent use.
type Checker struct {
	passages   []string
	analysed   []*analysed
	shared     []*Passage // with their analysis; nil: there are none
	similarity func(claim, passage string) float64

	// The claim at hand: markers of one sentence come in a row.
	text      string
	claimRead bool // claim is the analysis of text
	claim     *analysed
	focus     [2]int
	last      Claim
	result    Finding
	known     bool
	unchecked bool // the claim has more facts than are checked

	// Scratch memory, reused for every claim.
	terms                  []term
	prefixed               []prefixed // by tokens of the claim
	keys                   []uint64   // of prefixed
	hits                   []hit
	scores                 []float64
	seen                   []int32
	covered                []float64
	anywhere               []float64
	union                  []float64 // best coverage of every term over all passages, in the sentences that match
	elsewhere              []float64 // the same in any sentence
	mates                  []int32
	readings               []reading
	facts                  []factFinding
	taken                  []bool
	compared               []standing // every fact of the claim against every fact of the passage
	equal                  []factPair // those that are the same, in their order
	marked                 []bool     // tokens of the passage at hand that the claim has
	quoted                 []int32    // tokens of the best passage that the claim has
	names                  []nameFinding
	equals, rivals, others []int32 // facts
	phrases                []phrase
	parts                  []int32    // of the sentence at hand
	split                  *analysed  // whose sentence that is
	splitAt                int32      // the first token of the sentence
	says, claimSays        wordsSaid  // of the sentence and of the claim at hand
	compares               comparison // of the claim at hand
	comparedWith           comparison // of a sentence of comparedBy
	comparedBy             *analysed
	comparedAt             int32
	claimParts             []claimPart
	cited                  []int // passages
	mateRoom               []mate
	met                    *analysed // the passage at hand
	meetings               []meeting // of the claim at hand
	openRoom               []int32
	tieRoom                []ties
	claimRaw, claimKeys    index // of a range of the claim, see wordsIn
	cells                  map[cellText]*analysed
	pairs                  []bool
	echoed                 float64 // share of the neighbours in the claim that are neighbours in a passage
	rowsAgree              bool    // several rows of a passage have the values that the claim says of them
	total                  float64 // weight of the terms in focus
	steps                  int
}

// A meeting is what a passage has of the claim at hand.
type meeting struct {
	passage  *analysed
	hits     []hit
	marked   []bool
	compared []standing
	equal    []factPair
	echo     float64 // see echo; -1: not known
}

// A factPair is a fact of the claim and one of a passage.
type factPair struct{ claim, passage int32 }

// A reading is the comparison of a claim with one passage: the nearest sentence, the
// nearby sentence that adds most, and what they share with the claim.
type reading struct {
	passage       int
	first, second int32   // sentences, -1: none
	share         float64 // of the weight of the claim's words, in those two
	whole         float64 // in the passage
	agreed        float64 // weight of words with the same polarity
	opposed       float64 // weight of words with opposite polarity
	contrary      float64 // weight of antonyms
	denied        bool    // the direct object of one negation is not negated in the other
	common        int     // number of shared words
	facts         float64 // a small weight for every fact
	attached      doubt   // doubt whether facts or names belong to other words
	verbatim      bool
	foreign       bool // in another language
}

// A phrase is a name of one or more words, in the claim and in the passage.
type phrase struct {
	first, last int32 // tokens of the claim, half open
	mate        int32 // a token of the passage
}

// standing compares a fact of a claim with a fact of a passage.
type standing uint8

const (
	unlike standing = iota // something else
	rival                  // the same kind of fact, another value
	near                   // it may be the same
	same
)

// presence is where a fact or name of the claim was found.
type presence uint8

const (
	absent    presence = iota
	almost             // near a value, or less precise
	elsewhere          // in the passage, not in the sentences that match
	present
)

// factFinding is the result for a fact of the claim, over all passages.
type factFinding struct {
	best  presence
	rival bool // the matching sentences have another value of its kind
	own   bool // found in a passage of the marker itself
}

// nameFinding is the result for a name of the claim.
type nameFinding struct {
	best     presence
	rival    bool
	sure     bool // the claim's word is a name, and so is the one in its place
	replaced bool // another word stands in its place
}

func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// doubt is the weight of the evidence against a claim.
type doubt uint8

const (
	none       doubt = iota
	suspicion        // the level is at most weak
	contradict       // the level is unsupported
)

type judgement struct {
	level    string
	score    float64
	best     *reading
	quotable bool
	row      [2]int // of a table, in bytes of the passage; empty if no row decided
}
