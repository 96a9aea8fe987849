package support

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// A statement goes into a frame, which is a sentence that does not say it, in the places of its
// subject, its verb in the past, its infinitive and its object: {X}, {V}, {I}, {O}.
type statement struct{ x, v, inf, o string }

func (s statement) in(frame string) string {
	text := strings.NewReplacer("{X}", s.x, "{V}", s.v, "{I}", s.inf, "{O}", s.o).Replace(frame)
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

var statements = map[string][]statement{
	"en": {
		{"the bakery", "closed", "close", "the branch in Hull"}, {"the board", "sold", "sell", "the old ferry"},
		{"the mayor", "signed", "sign", "the lease for the stadium"}, {"Orla Brandt", "repaired", "repair", "the organ"},
	},
	"de": {
		{"die Bäckerei", "schloss", "schließen", "die Filiale in Hagen"}, {"der Rat", "verkaufte", "verkaufen", "die alte Fähre"},
		{"der Bürgermeister", "kündigte", "kündigen", "den Vertrag"}, {"die Werkstatt", "reparierte", "reparieren", "die Orgel"},
	},
	"fr": {
		{"la boulangerie", "a fermé", "fermer", "le magasin de Nantes"}, {"la ville", "a vendu", "vendre", "le vieux bac"},
		{"le directeur", "a signé", "signer", "le bail du stade"}, {"cet atelier", "a réparé", "réparer", "le grand orgue"},
	},
	"es": {
		{"la panadería", "cerró", "cerrar", "la tienda de Cádiz"}, {"la empresa", "vendió", "vender", "el viejo barco"},
		{"el alcalde", "firmó", "firmar", "el contrato del estadio"},
	},
	"it": {
		{"la panetteria", "ha chiuso", "chiudere", "il negozio di Pisa"}, {"la società", "ha venduto", "vendere", "la vecchia nave"},
		{"il sindaco", "ha firmato", "firmare", "il contratto dello stadio"},
	},
	"nl": {
		{"de bakkerij", "sloot", "sluiten", "de winkel in Breda"}, {"het bedrijf", "verkocht", "verkopen", "het oude schip"},
		{"de burgemeester", "tekende", "tekenen", "het contract van het stadion"},
	},
	"pt": {{"a padaria", "fechou", "fechar", "a loja do Porto"}, {"o prefeito", "assinou", "assinar", "o contrato do estádio"}},
	"pl": {{"ten piekarz", "zamknął", "zamknąć", "swój stary sklep"}, {"tamten burmistrz", "podpisał", "podpisać", "swoją umowę"}},
	"cs": {{"ten pekař", "zavřel", "zavřít", "starý obchod před svátkem"}, {"onen starosta", "podepsal", "podepsat", "smlouvu při obědě"}},
	"sv": {{"det bageriet", "stängde", "stänga", "den gamla butiken"}, {"den borgmästaren", "sålde", "sälja", "båten"}},
	"da": {{"det bageri", "lukkede", "lukke", "den gamle butik"}, {"den borgmester", "solgte", "sælge", "båden"}},
	"ru": {{"этот пекарь", "закрыл", "закрыть", "старый магазин"}, {"тот мэр", "подписал", "подписать", "договор"}},
	"uk": {{"цей пекар", "закрив", "закрити", "старий магазин"}, {"той мер", "підписав", "підписати", "договір"}},
}

var frames = map[string][]string{
	"en": {
		"{X} almost {V} {O}.", "{X} {V} {O} unless it rains.", "{X} {V} {O}, provided that it rains.", "{X} {V} {O} as long as it rains.", "Subject to a vote, {X} {V} {O}.",
		"{X} refused to {I} {O}.", "{X} failed to {I} {O}.", "{X} has yet to {I} {O}.", "{X} declined to {I} {O} last year.",
		"{X} was unable to {I} {O}.", "{X} was asked to {I} {O}.", "The court told {X} to {I} {O}.", "{X} tried to {I} {O}.",
		"{X} hoped to {I} {O}.", "{X} would have {V} {O}.", "If {X} {V} {O}, nobody noticed it.", "It is false that {X} {V} {O}.",
		"Critics said that {X} {V} {O}.", "{X}, critics said, {V} {O}.", "{X} denied that it {V} {O}.", "{X} never {V} {O}.",
		"Allegedly {X} {V} {O}.", "It is unclear whether {X} {V} {O}.", "{X} was expected to {I} {O}.", "{X} planned to {I} {O}.",
		"{X} decided not to {I} {O}.", "There were rumours that {X} {V} {O}.", "Did {X} {I} {O}?", "{X} agreed to {I} {O}.",
		"{X} threatened to {I} {O}.", "{X} wanted to {I} {O}.", "Had {X} {V} {O}, the town would have saved money.",
		"No one believes that {X} {V} {O}.", "{X} might {I} {O}.", "{X} can {I} {O}.", "The lawyer claimed that {X} {V} {O}.",
		"{X} painted the door instead of {O}.", "{X} stopped {I}ing {O}.", "{X} no longer {V} {O}.", "Nobody but the press thinks {X} {V} {O}.",
	},
	"de": {
		"Fast {V} {X} {O}.", "{X} {V} beinahe {O}.", "{X} {V} {O}, sofern es regnet.", "{X} {V} {O}, es sei denn, es regnet.",
		"{X} lehnte es ab, {O} zu {I}.", "{X} weigerte sich, {O} zu {I}.", "{X} versäumte es, {O} zu {I}.", "{X} bestritt, dass sie {O} {V}.",
		"Angeblich {V} {X} {O}.", "Kritiker sagten, {X} {V} {O}.", "{X} plante, {O} zu {I}.", "{X} versuchte, {O} zu {I}.",
		"Es ist falsch, dass {X} {O} {V}.", "Es stimmt nicht, dass {X} {O} {V}.", "Man forderte {X} auf, {O} zu {I}.", "Wenn {X} {O} {V}, wird es teuer.",
		"{X} wollte {O} {I}.", "{X} könnte {O} {I}.", "{X} {V} {O} nie.", "{X} {V} {O} nicht mehr.", "Gerüchten zufolge {V} {X} {O}.", "Es ist unklar, ob {X} {O} {V}.",
	},
	"fr": {
		"{X} {V} presque {O}.", "{X} {V} {O} à condition que tout soit prêt.", "{X} {V} {O}, sauf si tout est prêt.",
		"{X} a refusé de {I} {O}.", "{X} n'{V} jamais {O}.", "Il est faux que {X} {V} {O}.", "{X} nie que l'on {V} {O}.", "Si {X} {V} {O}, personne ne le sait.",
		"{X} aurait {I} {O}.", "{X} a tenté de {I} {O}.", "On a demandé de {I} {O} : {X} attend.", "Selon la rumeur, {X} {V} {O}.", "{X} a renoncé à {I} {O}.",
		"{X} voulait {I} {O}.", "{X} est incapable de {I} {O}.",
	},
	"es": {
		"{X} casi {V} {O}.", "{X} {V} {O} siempre que llueva.", "{X} {V} {O} a menos que llueva.",
		"{X} se negó a {I} {O}.", "{X} nunca {V} {O}.", "Es falso que {X} {V} {O}.", "Supuestamente {X} {V} {O}.", "Si {X} {V} {O}, nadie lo sabe.",
		"{X} intentó {I} {O}.", "{X} negó que {V} {O}.", "Según el rumor, {X} {V} {O}.", "{X} quería {I} {O}.", "{X} es incapaz de {I} {O}.",
	},
	"it": {
		"{X} quasi {V} {O}.", "{X} {V} {O} purché piova.", "{X} {V} {O} a meno che piova.",
		"{X} ha rifiutato di {I} {O}.", "{X} non {V} {O}.", "È falso che {X} {V} {O}.", "Se {X} {V} {O}, nessuno lo sa.", "{X} ha tentato di {I} {O}.",
		"{X} nega che si {V} {O}.", "{X} voleva {I} {O}.", "{X} avrebbe {I} {O}.",
	},
	"nl": {
		"{X} {V} bijna {O}.", "{X} {V} {O}, mits het regent.", "{X} {V} {O}, tenzij het regent.",
		"{X} weigerde {O} te {I}.", "{X} {V} {O} nooit.", "Het is onwaar dat {X} {O} {V}.", "{X} zou {O} {I}.", "{X} probeerde {O} te {I}.", "{X} ontkende dat het {O} {V}.",
		"Volgens een gerucht {V} {X} {O}.", "{X} wilde {O} {I}.", "Het is onduidelijk of {X} {O} {V}.",
	},
	"pt": {"{X} quase {V} {O}.", "{X} {V} {O} desde que chova.", "{X} recusou-se a {I} {O}.", "Supostamente {X} {V} {O}.", "É falso que {X} {V} {O}.", "{X} tentou {I} {O}.", "{X} deixou de {I} {O}."},
	"pl": {"{X} prawie {V} {O}.", "{X} {V} {O}, chyba że pada.", "{X} odmówił {I} {O}.", "Podobno {X} {V} {O}.", "{X} nie {V} {O}.", "{X} próbował {I} {O}.", "Jeśli {X} {V} {O}, jest za późno."},
	"cs": {"{X} téměř {V} {O}.", "{X} odmítl {I} {O}.", "Údajně {X} {V} {O}.", "{X} chtěl {I} {O}.", "Jestli {X} {V} {O}, je to pozdě."},
	"sv": {"{X} {V} nästan {O}.", "{X} {V} {O} förutsatt att det regnar.", "{X} vägrade att {I} {O}.", "Enligt rykten {V} {X} {O}.", "{X} skulle {I} {O}.", "{X} försökte {I} {O}."},
	"da": {"{X} {V} næsten {O}.", "{X} {V} {O}, medmindre det ikke er for sent.", "{X} nægtede at {I} {O}.", "Angiveligt {V} {X} {O}.", "{X} ville {I} {O}.", "{X} forsøgte at {I} {O}."},
	"ru": {"{X} почти {V} {O}.", "{X} {V} {O} при условии дождя.", "{X} отказался {I} {O}.", "Якобы {X} {V} {O}.", "{X} пытался {I} {O}.", "Если {X} {V} {O}, уже поздно."},
	"uk": {"{X} майже {V} {O}.", "{X} {V} {O} за умови дощу.", "{X} відмовився {I} {O}.", "Нібито {X} {V} {O}.", "{X} намагався {I} {O}.", "Якщо {X} {V} {O}, уже пізно."},
}

// What a sentence denies, supposes or hears is no support for it; the sentence itself is.
func TestWhatASentenceDoesNotSayIsNotSupported(t *testing.T) {
	for lang, list := range statements {
		for i, s := range list {
			claim, other := s.in("{X} {V} {O}."), list[(i+1)%len(list)].in("{X} {V} {O}.")
			if f := checked(claim, other+" "+claim); f.Level != Supported {
				t.Errorf("%q is %s by itself", claim, f.Level)
			}
			for _, frame := range frames[lang] {
				passage := s.in(frame) + " " + other
				if f := checked(claim, passage); f.Level == Supported {
					t.Errorf("%s: %q is supported by %q", lang, claim, passage)
				}
				if f := checked(s.in(frame), passage); f.Level != Supported && !strings.HasSuffix(frame, "?") {
					t.Errorf("%s: %q is %s by itself", lang, s.in(frame), f.Level)
				}
				if f := checked(other, passage); f.Level != Supported {
					t.Errorf("%s: %q is %s by %q", lang, other, f.Level, passage)
				}
			}
		}
	}
}
