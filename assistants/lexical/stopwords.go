package lexical

// englishFunction are the English words that carry no subject, folded.
var englishFunction = set(`
a an the this that these those
and or but nor if then than so as because while until unless although though whether
of at by for with about against between into through to from in on upon onto within without per
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
am is are was were be been being have has had having do does did doing done
will would shall should can could may might must cannot
dont doesnt didnt isnt arent wasnt werent wont wouldnt cant couldnt shouldnt hasnt havent hadnt
im ive youre youve youll youd hes shes theyre theyve weve well whats thats theres lets
not no here there too very just also such both either neither own
who whom whose which what when where why how etc eg ie
`)

// germanFunction are the German words that carry no subject, folded, without
// those that are also English words of their own (germanOnly).
var germanFunction = set(`
der das dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines
und oder aber denn sondern sowie wenn falls dass weil obwohl wahrend ob als wie
von vom zu zum zur im in am an auf aus bei beim mit nach seit uber unter vor hinter neben zwischen durch fur gegen ohne um bis
ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren unserem unserer
du dich dir dein deine deinen deinem deiner ihr ihre ihren ihrem ihrer ihres euch euer eure
er ihn ihm sein seine seinen seinem seiner seines sie es sich
ist sind seid waren wird werden wurde wurden worden werde
haben habe hast hatte hatten kann konnen konnte konnten konnt
muss mussen musste mussten soll sollen sollte sollten darf durfen durfte will wollen wollte mag mochte mochten
nicht auch noch nur schon sehr hier dort da dann doch ja nein so
dieser diese dieses diesen diesem jene jener jenes welche welcher welches welchen welchem
wer wen wem wessen wann wo woher wohin warum weshalb wieso wieviel wieviele
bzw usw zb dh
`)

// germanOnly are German function words that mean something in English ("war",
// "die"): documents keep them, German questions do without.
var germanOnly = set(`die den was war hat bin man einmal wird nun damit ab selbst selber wieder mal`)

// romanceFunction are articles and the like of French, Spanish and Italian that
// mean nothing in English or German.
var romanceFunction = set(`de la le les el los las du des une una que qui il lo gli del della`)

// functionIn are the function words of each language.
var functionIn = [languages]map[string]bool{
	languageEnglish: englishFunction, languageGerman: union(germanFunction, germanOnly), languageFrench: frenchFunction, languageItalian: italianFunction,
	languageSpanish: spanishFunction, languagePortuguese: portugueseFunction, languageDutch: dutchFunction,
}

// functionWords give no terms in a document.
var functionWords = union(englishFunction, germanFunction, romanceFunction)

// askingWords are words that wrap a question around its subject. Documents keep
// them; questions drop them as long as something else remains.
var askingWords = [languages]map[string]bool{
	languageEnglish: set(`
many much long often soon far old big large exactly roughly currently usually
get gets getting got give gives given need needs needed want wants wanted
tell show explain describe list find know mean means say says said ask asks
allowed permitted possible able supposed please thanks thank hello hi hey
happen happens happened make makes take takes go goes going come comes put let keep
look looking see wonder wondering like
any some every each all most more anything something everything anyone someone everyone nothing
people person somebody anybody thing things stuff way ways
really actually ever still again already now out up off down over
during before after above below under across since among around behind beside besides beyond near toward towards
question answer information info details
`),
	languageGerman: set(`
viel viele vielen lange langer oft schnell hoch gross genau ungefahr eigentlich uberhaupt
bekomme bekommt bekommen kriege kriegt kriegen erhalte erhalt erhalten gibt geben gebe
brauche braucht brauchen gilt gelten geht gehen mache macht machen tun tue tut
sage sagen sagt sag zeige zeigen zeig erklare erklaren nenne nennen finde finden findet wissen weiss heisst bedeutet
heraus erlaubt gestattet moglich bitte danke hallo
alle allen alles jede jeder jedes jeden etwas irgendwas jemand man
pro frage antwort information informationen
`),
	languageFrench: frenchAsking, languageItalian: italianAsking, languageSpanish: spanishAsking, languagePortuguese: portugueseAsking, languageDutch: dutchAsking,
}

// germanSuffixes are endings by which a word without company passes for German.
var germanSuffixes = []string{
	"ung", "ungen", "heit", "heiten", "keit", "keiten", "schaft", "schaften", "frist", "fristen",
	"lich", "liche", "lichen", "licher", "liches", "isch", "ische", "ischen", "tage", "tagen", "zeit", "zeiten",
	"gesetz", "geld", "pflicht", "vertrag", "urlaub", "nehmer", "geber", "stelle", "stunden",
}

// asking are phrases of Chinese, Japanese, Korean and Thai questions that carry
// no subject, by their first character. Runs of characters are cut at them, so
// single characters are listed only where they hardly occur inside of words.
var asking = byFirst(`
什么 甚麼 什麼 多少 多久 怎么 怎麼 怎样 怎樣 如何 哪些 哪个 哪個 哪里 哪裡 哪 谁 誰 何时 何時 为什么 為什麼 为何
是否 能否 可否 几 幾 几天 幾天 多长 多長 多长时间 多長時間 可以 能够 能夠 需要 应该 應該 必须 必須 请问 請問 告诉 告訴
我们 我們 我 你们 你們 你 您 他们 他們 有没有 有沒有 的 了 是 吗 嗎 呢 吧 啊 这 這 那 以及 还是 還是 如果
何 何日 何時間 何人 何回 何年 何月
무엇 뭐 언제 어디 어떻게 누가 누구 얼마나 얼마 며칠 몇 인가요 있나요 하나요 되나요 입니까 합니까 됩니까 주세요
อะไร เท่าไหร่ เท่าไร กี่ อย่างไร ยังไง ที่ไหน เมื่อไหร่ เมื่อไร ใคร ทำไม หรือไม่ ครับ ค่ะ คะ ฉัน
`)
