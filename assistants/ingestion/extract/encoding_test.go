package extract

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	xunicode "golang.org/x/text/encoding/unicode"
)

const (
	german   = "Die Straße führt über die Brücke. Größe: 12 €. „Zitat“ – so ist es."
	japan    = "これは日本語の文章です。東京都に住んでいる人は、毎日電車で会社へ行きます。漢字とひらがなとカタカナを使います。"
	chinese  = "这是一个中文句子。我们公司的员工每年有二十五天的假期。请在三个月之前申请。谢谢您的合作，祝您工作愉快。"
	korea    = "이것은 한국어 문장입니다. 직원은 매년 이십오 일의 휴가를 받습니다. 석 달 전에 신청하십시오."
	russian  = "Это предложение на русском языке. Сотрудники получают двадцать пять дней отпуска каждый год."
	hebrew   = "זהו משפט בעברית עם עשרים וחמישה ימי חופשה"
	emoji    = "Emoji 👩‍👩‍👧‍👦 and flags 🇩🇪 stay whole."
	greek    = "Οι εργαζόμενοι δικαιούνται είκοσι πέντε ημέρες άδειας κάθε χρόνο. Η αίτηση υποβάλλεται τρεις μήνες πριν."
	hebrew2  = "העובדים זכאים לעשרים וחמישה ימי חופשה בכל שנה. יש להגיש את הבקשה שלושה חודשים מראש."
	arabic   = "يحق للموظفين الحصول على خمسة وعشرين يوما من الإجازة كل سنة. يجب تقديم الطلب قبل ثلاثة أشهر."
	polish   = "Pracownicy mają prawo do dwudziestu pięciu dni urlopu każdego roku. Wniosek należy złożyć trzy miesiące wcześniej, a źródła są dołączone."
	czech    = "Zaměstnanci mají nárok na dvacet pět dnů dovolené každý rok. Žádost je třeba podat tři měsíce předem, příliš žluťoučký kůň."
	magyar   = "A munkavállalók évente huszonöt nap szabadságra jogosultak. A kérelmet három hónappal előbb kell benyújtani, időben és pontosan, a főnöknél."
	turkish  = "Çalışanların her yıl yirmi beş gün izin hakkı vardır. Başvuru üç ay önceden yapılmalıdır, değişiklikler yazılı olarak bildirilir."
	thaiText = "พนักงานได้รับวันหยุดยี่สิบห้าวันต่อปี"
)

func encode(t *testing.T, e encoding.Encoding, s string) []byte {
	t.Helper()
	out, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTextIsDecoded(t *testing.T) {
	le := xunicode.UTF16(xunicode.LittleEndian, xunicode.IgnoreBOM)
	be := xunicode.UTF16(xunicode.BigEndian, xunicode.IgnoreBOM)
	leBOM := xunicode.UTF16(xunicode.LittleEndian, xunicode.UseBOM)
	beBOM := xunicode.UTF16(xunicode.BigEndian, xunicode.UseBOM)
	for _, c := range []struct {
		about string
		raw   []byte
		want  string
		name  string
	}{
		{"ASCII", []byte("plain"), "plain", "utf-8"},
		{"UTF-8", []byte(german + emoji), german + emoji, "utf-8"},
		{"UTF-8 with BOM", []byte("\xef\xbb\xbf" + german), german, "utf-8"},
		{"UTF-8 with a broken byte", []byte(german + "\xff" + russian), german + "\uFFFD" + russian, "utf-8"},
		{"UTF-16LE with BOM", encode(t, leBOM, german+emoji), german + emoji, "utf-16le"},
		{"UTF-16BE with BOM", encode(t, beBOM, japan), japan, "utf-16be"},
		{"UTF-16LE", encode(t, le, german), german, "utf-16le"},
		{"UTF-16BE", encode(t, be, german), german, "utf-16be"},
		{"UTF-16LE, odd length", append(encode(t, leBOM, "abc"), 'x'), "abc\uFFFD", "utf-16le"},
		{"UTF-16LE, half a pair", append(encode(t, leBOM, "abc"), 0x3d, 0xd8), "abc\uFFFD", "utf-16le"},
		{"UTF-16LE, Russian", encode(t, le, russian), russian, "utf-16le"},
		{"UTF-16BE, Russian", encode(t, be, russian), russian, "utf-16be"},
		{"UTF-16LE, Chinese in two lines", encode(t, le, chinese+"\n"+chinese), chinese + "\n" + chinese, "utf-16le"},
		{"UTF-16BE, Japanese in two lines", encode(t, be, japan+"\r\n"+japan), japan + "\r\n" + japan, "utf-16be"},
		{"UTF-16LE, Thai and Hebrew", encode(t, le, thaiText+" "+hebrew), thaiText + " " + hebrew, "utf-16le"},
		{"Windows-1252", encode(t, charmap.Windows1252, german), german, "windows-1252"},
		{"Shift-JIS", encode(t, japanese.ShiftJIS, japan), japan, "shift_jis"},
		{"EUC-JP", encode(t, japanese.EUCJP, japan), japan, "euc-jp"},
		{"GBK", encode(t, simplifiedchinese.GBK, chinese), chinese, "gb18030"},
		{"EUC-KR", encode(t, korean.EUCKR, korea), korea, "euc-kr"},
		{"KOI8-R", encode(t, charmap.KOI8R, russian), russian, "koi8-r"},
		{"Windows-1251", encode(t, charmap.Windows1251, russian), russian, "windows-1251"},
		{"ISO 8859-5", encode(t, charmap.ISO8859_5, russian), russian, "iso-8859-5"},
		{"Greek, ISO 8859-7", encode(t, charmap.ISO8859_7, greek), greek, "iso-8859-7"},
		{"Hebrew, ISO 8859-8", encode(t, charmap.ISO8859_8, hebrew2), hebrew2, "iso-8859-8-i"},
		{"Hebrew, Windows-1255", encode(t, charmap.Windows1255, hebrew2), hebrew2, "iso-8859-8-i"},
		{"Arabic, ISO 8859-6", encode(t, charmap.ISO8859_6, arabic), arabic, "iso-8859-6"},
		{"Arabic, Windows-1256", encode(t, charmap.Windows1256, arabic), arabic, "windows-1256"},
		{"Polish, ISO 8859-2", encode(t, charmap.ISO8859_2, polish), polish, "iso-8859-2"},
		{"Polish, Windows-1250", encode(t, charmap.Windows1250, polish), polish, "windows-1250"},
		{"Czech, ISO 8859-2", encode(t, charmap.ISO8859_2, czech), czech, "iso-8859-2"},
		{"Czech, Windows-1250", encode(t, charmap.Windows1250, czech), czech, "windows-1250"},
		{"Hungarian, Windows-1250", encode(t, charmap.Windows1250, magyar), magyar, "iso-8859-2"}, // the same bytes
		{"Turkish", encode(t, charmap.Windows1254, turkish), turkish, "windows-1254"},
		{"Hebrew and Thai", []byte(hebrew + thaiText), hebrew + thaiText, "utf-8"},
	} {
		text, name := decode(c.raw)
		if text != c.want || name != c.name {
			t.Errorf("%s: %q in %s; want %q in %s", c.about, text, name, c.want, c.name)
		}
		if doc := mustExtract(t, "a.txt", c.raw); doc.Encoding != c.name {
			t.Errorf("%s: a file of it is in %s", c.about, doc.Encoding)
		}
	}
}

// What is rare must not take what is common for its own: texts of Western Europe
// stay theirs, however short.
func TestWesternTextStaysWestern(t *testing.T) {
	for _, text := range []string{
		german, "Größe: 12", "Straße über die Brücke", "Müller;Köln;12\nSchäfer;Düsseldorf;13\nWeiß;Nürnberg;14\n",
		"Les employés ont droit à vingt-cinq jours de congé chaque année. La demande doit être déposée à l'avance, même à Noël où c'est fermé.",
		"Los empleados tienen derecho a veinticinco días de vacaciones cada año. La petición se presentará tres meses antes según el acuerdo.",
		"Os funcionários têm direito a vinte e cinco dias de férias por ano. O pedido deve ser feito com antecedência; não há exceções.",
		"De anställda har rätt till tjugofem dagars semester varje år. Ansökan ska lämnas in i förväg och får ändras.",
		"Medarbejderne har ret til femogtyve dages ferie hvert år. Ansøgningen skal indgives på forhånd og må ændres.",
		"Työntekijöillä on oikeus kahdenkymmenenviiden päivän lomaan joka vuosi. Hakemus on jätettävä etukäteen.",
		"I dipendenti hanno diritto a venticinque giorni di ferie perché l'attività è già prevista; la società può però dire di no.",
		"Þetta er íslenska: starfsmenn eiga rétt á tuttugu og fimm daga orlofi á ári, það er öllum ljóst.",
		"© 2024 Café Noël — 5 € · 20 °C · ½ l", "naïve café, déjà vu, façade", "§ 5 Abs. 2 BGB: 1 200 €",
	} {
		raw := encode(t, charmap.Windows1252, text)
		if got, name := decode(raw); got != text || name != "windows-1252" {
			t.Errorf("%q is read as %q in %s", text, got, name)
		}
	}
}

// Files that mix encodings, or are cut within a character, are read all the
// same, and what is broken is one U+FFFD each.
func TestMixedAndCutEncodingsAreReadWithReplacements(t *testing.T) {
	for about, c := range map[string]struct{ raw, want string }{
		"a line of another encoding": {german + "\n" + "Stra\xdfe\n" + russian, german + "\nStra\uFFFDe\n" + russian},
		"a cut character":            {russian[:len(russian)-2], russian[:len(russian)-3] + "\uFFFD"},
		"bytes beyond Unicode":       {japan + "\xf5\x80\x80\x80", japan + "\uFFFD"},
		"half of a pair in UTF-8":    {japan + "\xed\xa0\x80", japan + "\uFFFD"},
	} {
		doc := mustExtract(t, "a.txt", []byte(c.raw))
		if doc.Text != c.want || doc.Encoding != "utf-8" {
			t.Errorf("%s: %q in %s, want %q", about, doc.Text, doc.Encoding, c.want)
		}
	}
}

// Sound, tables of numbers and noise have zeros in every second byte, too.
func TestNumbersAreNotTakenForUTF16(t *testing.T) {
	noise, wave, counter := make([]byte, 4096), make([]byte, 4096), make([]byte, 4096)
	state := uint32(1)
	for i := range noise {
		state = state*1664525 + 1013904223
		noise[i] = byte(state >> 24)
		if i%2 == 0 {
			v := int16(20000 * math.Sin(float64(i)/50))
			wave[i], wave[i+1] = byte(v), byte(v>>8)
			counter[i], counter[i+1] = byte(i*37), byte(i*37>>8)
		}
	}
	noise[1] = 0
	for about, raw := range map[string][]byte{"noise": noise, "sound": wave, "numbers": counter} {
		if order := utf16Order(raw); order != nil {
			t.Errorf("%s is %s", about, order.name)
		}
	}
}

func TestTextIsNormalised(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\rc\nd":              "a\nb\nc\nd",
		"a\x00b\x07c\x1bd\x7fe":     "abcde",
		"tab\tstays":                "tab\tstays",
		"page\fbreak\vand\u2028row": "page\nbreak\nand\nrow",
		"soft\u00adhyphen\ufeff":    "softhyphen",
		"non\ufffecharacter":        "noncharacter",
		"nel\u0085":                 "nel\n",
		"\r\r\n\r":                  "\n\n\n",
		"zero\u200bwidth":           "zero\u200bwidth",
	} {
		if got := Normalise(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzAnyBytesBecomeCleanText(f *testing.F) {
	f.Add([]byte("\xff\xfeH\x00"))
	f.Add([]byte("Stra\xdfe\r\n"))
	f.Add([]byte(strings.Repeat("\x83e\x83X", 20)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, name := decode(raw)
		text = Normalise(text)
		if !utf8.ValidString(text) || name == "" || strings.ContainsAny(text, "\r\x00\x1b") {
			t.Fatalf("%q in %q", text, name)
		}
	})
}
