package extract

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// Sentences as documents have them, long and short.
var sentences = map[string][]string{
	"sk": {
		"Zamestnanec má nárok na dvadsaťpäť dní dovolenky v kalendárnom roku. Žiadosť podáva najneskôr štrnásť dní vopred svojmu nadriadenému, ktorý ju schváli alebo vráti na doplnenie.",
		"Ľubovoľná časť dohody môže byť zmenená len písomne.",
	},
	"cs": {
		"Zaměstnanec má nárok na dvacet pět dní dovolené v kalendářním roce. Žádost podává nejpozději čtrnáct dní předem svému nadřízenému, který ji schválí, nebo vrátí k doplnění.",
		"Příliš žluťoučký kůň úpěl ďábelské ódy.",
	},
	"pl": {
		"Pracownikowi przysługuje dwadzieścia pięć dni urlopu w roku kalendarzowym. Wniosek należy złożyć najpóźniej czternaście dni wcześniej u przełożonego.",
		"Umowę można zmienić wyłącznie na piśmie, pod rygorem nieważności.",
	},
	"hu": {
		"A munkavállalónak naptári évenként huszonöt nap szabadság jár. A kérelmet legkésőbb tizennégy nappal előbb kell benyújtani a közvetlen felettesnek, őszi időpontra is.",
	},
	"lt": {
		"Darbuotojui per kalendorinius metus priklauso dvidešimt penkios atostogų dienos. Prašymą reikia pateikti tiesioginiam vadovui ne vėliau kaip prieš keturiolika dienų.",
		"Sutartis gali būti keičiama tik raštu, šalims susitarus.",
	},
	"lv": {
		"Darbiniekam kalendārajā gadā pienākas divdesmit piecas atvaļinājuma dienas. Iesniegums jāiesniedz tiešajam vadītājam ne vēlāk kā četrpadsmit dienas iepriekš.",
	},
	"uk": {
		"Працівник має право на двадцять п'ять днів відпустки на рік. Заяву слід подати своєму керівникові не пізніше ніж за чотирнадцять днів, її погоджують письмово; інакше її відхилять.",
		"Її підписують обидві сторони, і вона діє з дня підписання.",
	},
	"ru": {
		"Работник имеет право на двадцать пять дней отпуска в год. Заявление следует подать своему руководителю не позднее чем за четырнадцать дней, его согласуют письменно.",
	},
	"de": {
		"Jeder Beschäftigte hat im Kalenderjahr Anspruch auf fünfundzwanzig Tage Urlaub. Der Antrag ist dem Vorgesetzten spätestens vierzehn Tage vorher zu übergeben; größere Änderungen sind schriftlich zu bestätigen.",
		"Müller, Köln; Schäfer, Düsseldorf; Weiß, Nürnberg; Größe 12",
	},
	"fr": {
		"Chaque employé a droit à vingt-cinq jours de congé par année. La demande doit être déposée auprès du supérieur au plus tard quatorze jours à l'avance, même à Noël où c'est fermé.",
	},
	"th": {
		"พนักงานมีสิทธิลาพักร้อนปีละยี่สิบห้าวัน ต้องยื่นคำขอต่อหัวหน้างานล่วงหน้าอย่างน้อยสิบสี่วัน",
		"สัญญานี้แก้ไขได้เป็นลายลักษณ์อักษรเท่านั้น",
	},
	"ja": {"従業員は年に二十五日の休暇を取ることができます。申請は十四日前までに上司に提出してください。"},
}

var oldEncodings = []struct {
	language, name string
	encoding       encoding.Encoding
}{
	{"sk", "windows-1250", charmap.Windows1250}, {"sk", "iso-8859-2", charmap.ISO8859_2}, {"sk", "ibm852", charmap.CodePage852},
	{"cs", "windows-1250", charmap.Windows1250}, {"cs", "iso-8859-2", charmap.ISO8859_2}, {"cs", "ibm852", charmap.CodePage852},
	{"pl", "windows-1250", charmap.Windows1250}, {"pl", "iso-8859-2", charmap.ISO8859_2}, {"pl", "ibm852", charmap.CodePage852},
	{"hu", "ibm852", charmap.CodePage852},
	{"lt", "windows-1257", charmap.Windows1257}, {"lv", "windows-1257", charmap.Windows1257},
	{"uk", "koi8-u", charmap.KOI8U}, {"uk", "windows-1251", charmap.Windows1251},
	{"ru", "ibm866", charmap.CodePage866}, {"ru", "koi8-r", charmap.KOI8R}, {"ru", "windows-1251", charmap.Windows1251}, {"ru", "iso-8859-5", charmap.ISO8859_5},
	{"de", "ibm850", charmap.CodePage850}, {"de", "macintosh", charmap.Macintosh}, {"de", "windows-1252", charmap.Windows1252},
	{"fr", "ibm850", charmap.CodePage850}, {"fr", "macintosh", charmap.Macintosh}, {"fr", "windows-1252", charmap.Windows1252},
	{"th", "windows-874", charmap.Windows874}, {"ja", "iso-2022-jp", japanese.ISO2022JP},
}

// Old files have no note of their encoding. Their letters tell it: what counts is
// that the text is right, whichever of two encodings that agree on it is named.
func TestOldFilesAreReadInTheirEncoding(t *testing.T) {
	right, all := 0, 0
	for _, c := range oldEncodings {
		for _, sentence := range sentences[c.language] {
			for _, text := range []string{sentence, strings.Repeat(sentence+"\n", 12), "Invoice 12/2024\n\n" + sentence + "\nTotal: 1,200.00\n"} {
				all++
				if got, name := decode(encode(t, c.encoding, text)); got == text {
					right++
				} else {
					t.Errorf("%s in %s is read in %s: %.90q", c.language, c.name, name, got)
				}
			}
		}
	}
	t.Logf("%d of %d are right", right, all)
}
