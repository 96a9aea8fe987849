package support

// Forms of words that a group of synonyms does not list: "informados" belongs to the group of
// "informar", "genehmigten" to that of "genehmigen". Two words can say one thing, too: turned down.

const (
	familyLeast = 5 // letters of a word that is looked for by its family
	familyStem  = 4 // letters that its forms share at least
)

// familyEndings are the endings of verbs, nouns and adjectives, the longest first.
var familyEndings = [languages][]string{
	german:     {"ungen", "enden", "ende", "eten", "etes", "etem", "eter", "ung", "ten", "tes", "tem", "ter", "te", "et", "en", "es", "em", "er", "st", "e", "t", "n", "s"},
	french:     {"issements", "issement", "ements", "ement", "ations", "ation", "aient", "eraient", "erait", "eront", "era", "issent", "ant", "ait", "ees", "ee", "es", "ent", "ez", "er", "ir", "is", "it", "ie", "e", "s"},
	spanish:    {"aciones", "acion", "imientos", "imiento", "amientos", "amiento", "aremos", "aran", "eran", "iran", "iendo", "ando", "aban", "aron", "ieron", "adas", "ados", "idas", "idos", "ada", "ado", "ida", "ido", "aba", "ara", "era", "ira", "ian", "ia", "io", "ar", "er", "ir", "an", "en", "as", "es", "os", "a", "e", "o", "s"},
	italian:    {"azioni", "azione", "amenti", "amento", "imenti", "imento", "eranno", "iranno", "ando", "endo", "avano", "evano", "ivano", "arono", "irono", "ata", "ate", "ati", "ato", "ita", "ite", "iti", "ito", "uta", "ute", "uti", "uto", "ava", "eva", "iva", "era", "ira", "are", "ere", "ire", "ano", "ono", "a", "e", "i", "o"},
	portuguese: {"acoes", "acao", "imentos", "imento", "amentos", "amento", "ariam", "aram", "eram", "iram", "ando", "endo", "indo", "avam", "adas", "ados", "idas", "idos", "ada", "ado", "ida", "ido", "ava", "ara", "era", "ira", "iam", "ia", "iu", "eu", "ou", "ar", "er", "ir", "am", "em", "as", "es", "os", "a", "e", "o", "s"},
	dutch:      {"ingen", "ende", "ing", "den", "ten", "de", "te", "en", "e", "d", "t", "s"},
	polish:     {"aniem", "eniem", "aniu", "eniu", "ania", "enia", "anie", "enie", "ujemy", "uja", "uje", "owac", "owal", "owala", "owano", "iono", "ono", "ano", "ymi", "imi", "ego", "emu", "ami", "ach", "ych", "ich", "iem", "owi", "ow", "om", "em", "ym", "im", "ie", "ej", "ac", "ic", "yc", "al", "ala", "il", "ila", "la", "l", "a", "e", "i", "o", "u", "y"},
}

// familyOf returns the hash of the letters that the forms of a word share, 0 if it is too short.
func familyOf(l language, word []byte) uint64 {
	if len(word) < familyLeast {
		return 0
	}
	if (l == german || l == dutch) && len(word) > familyLeast+2 && string(word[:2]) == "ge" && (word[len(word)-1] == 't' || word[len(word)-1] == 'd') {
		word = word[2:] // gemeldet
	}
	for _, ending := range familyEndings[l] {
		if n := len(word) - len(ending); n >= familyStem && string(word[n:]) == ending {
			word = word[:n]
			break
		}
	}
	return salted(hashOf(word), saltFamily+uint64(l))
}

// A membership is the group of synonyms of a family or of two words.
type membership struct {
	concept uint16 // 0 for a family of words of several groups
	sign    int8
	votes   int8 // of its words, less those of others
}

// addFamily gives the forms of a word the group that it belongs to.
func (x *lexicon) addFamily(l language, word []byte, in membership) {
	if key := familyOf(l, word); key != 0 && familyEndings[l] != nil {
		before, in := x.families[key], in
		in.votes = 1
		switch {
		case before.votes <= 0:
		case before.concept == in.concept && before.sign == in.sign:
			in.votes = min(before.votes, 100) + 1
		case before.concept == in.concept:
			in = membership{votes: 100} // buyer, seller
		default:
			in = before
			in.votes--
		}
		x.families[key] = in
	}
}

// findFamily returns the group of a word that is not listed.
func (x *lexicon) findFamily(l language, word []byte) membership {
	if familyEndings[l] == nil || len(word) < familyLeast {
		return membership{}
	}
	if in := x.families[familyOf(l, word)]; in.votes > 0 {
		return in
	}
	return membership{}
}

// pairGroup returns the group of a word and the next one, or in German and Dutch of a verb and the
// particle that ends its clause: lehnt … ab. at is the second word.
func (a *analysed) pairGroup(i int) (in membership, at int) {
	if in = a.groupOfTwo(i, i+1); in.concept > 0 || a.language != english && !a.language.germanic() {
		return in, i + 1
	}
	if a.language == english { // send the goods back
		for at := i + 2; at <= i+4; at++ {
			if in = a.groupOfTwo(i, at); in.concept > 0 {
				return in, at
			}
		}
		return membership{}, 0
	}
	last := i
	for last+1 < len(a.tokens) && a.tokens[last+1].clause == a.tokens[i].clause {
		last++
	}
	return a.groupOfTwo(i, last), last
}

func (a *analysed) groupOfTwo(one, two int) membership {
	next := a.token(two)
	if next == nil || next.kind != wordToken || next.clause != a.tokens[one].clause {
		return membership{}
	}
	return a.lex.pairs[pairHash(a.tokens[one].raw, next.raw)+uint64(a.language)]
}
