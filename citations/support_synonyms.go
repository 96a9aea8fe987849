package citations

// synonyms are groups of words that mean nearly the same: English; German;
// French, one group a line, with irregular forms. Behind a bar stand those that mean the opposite.
const synonyms = `
increase rise rose risen grow grew grown growth climb gain surge jump up higher expand soar | decrease fall fell fallen drop decline shrink shrank shrunk reduce reduction down lower dip slump cut; erhöhen erhöht erhöhte erhöhung steigen steigt stieg stiegen gestiegen steigern gesteigert anstieg anstieg zunehmen zunahme zugenommen wachsen wuchs wächst gewachsen wachstum zulegen zugelegt kletterte ausbauen | senken gesenkt senkung sinken sinkt sank sanken gesunken fallen fiel fielen gefallen rückgang zurückgehen zurückgegangen abnehmen abnahme reduzieren reduziert verringern verringert schrumpfen schrumpfte schrumpften geschrumpft; augmenter augmente augmenté augmentation hausse croître croissance progresser progressé progression accroître accru grimper grimpé bond | diminuer diminué diminution baisse baisser baissé chuter chuté chute reculer reculé recul réduire réduit réduction décliner
more | less fewer; mehr | weniger; plus | moins
above over exceed exceeded exceeding | below under; über oberhalb überschreiten überschritt übersteigt | unter unterhalb unterschreiten; supérieur dépasser dépasse | inférieur dessous
before prior previously earlier | after following afterwards later; vor vorher zuvor bevor früher | nach nachdem danach später; avant auparavant précédemment | après ensuite suite
maximum most max highest largest biggest | minimum least min lowest smallest; höchstens maximal maximum höchste größte | mindestens minimal minimum niedrigste kleinste; maximum maximal maximale | minimum minimal minimale
allow allowed permit permitted authorize authorized | forbid forbidden prohibit prohibited ban banned disallow; erlauben erlaubt gestatten gestattet zulässig genehmigt | verbieten verboten untersagen untersagt unzulässig verbot; autoriser autorisé permettre permis permet | interdire interdit interdite interdits interdiction prohiber
include contain comprise cover covered | exclude omit; enthalten enthält beinhalten umfassen umfasst einschließlich inklusive | ausschließen ausgeschlossen exklusive; inclure inclus comprendre comprend comprenant contenir contient | exclure exclu hors
open opened opening | close closed closing closure shut; öffnen geöffnet eröffnen eröffnet eröffnung öffnete eröffnete | schließen geschlossen schloss schließt schließung; ouvrir ouvert ouverture ouvre inaugurer inauguré | fermer fermé fermeture
start begin began begun launch commence initiate | end finish stop cease conclude; beginnen begann begonnen beginn anfangen starten start gestartet anfang einführen eingeführt | enden endet endete ende aufhören beenden beendet abschließen; commencer début débuter débute lancer lancé lancement démarrer | finir fin terminer terminé achever cesser arrêter
accept approve approved adopt agree | reject deny denied refuse decline dismissed; annehmen angenommen akzeptieren billigen gebilligt zustimmen zugestimmt genehmigen | ablehnen abgelehnt lehnte zurückweisen verweigern verweigert; accepter accepté approuver approuvé adopter | refuser refusé rejeter rejeté
win won victory winner | lose lost loss defeat; gewinnen gewann gewonnen sieg sieger | verlieren verlor verloren niederlage; gagner gagné victoire remporter remporté | perdre perdu défaite
buy bought purchase acquire acquired acquisition | sell sold sale sells; kaufen kaufte gekauft erwerben erwarb erworben übernehmen übernahm übernommen kauf | verkaufen verkaufte verkauft verkauf veräußern; acheter acheté acquérir acquis achat acquisition | vendre vendu vente
profit profitable surplus | deficit unprofitable; überschuss gewinn rentabel | defizit verlust unrentabel; bénéfice excédent rentable | déficit perte
mandatory required obligatory compulsory require necessary must | optional voluntary; verpflichtend pflicht obligatorisch erforderlich notwendig nötig vorgeschrieben | freiwillig optional; obligatoire nécessaire requis exiger exige | facultatif volontaire optionnel
enable activate enabled | disable deactivate disabled; aktivieren aktiviert einschalten | deaktivieren deaktiviert ausschalten; activer activé | désactiver désactivé
success succeed successful succeeded | fail failed failure unsuccessful; erfolg erfolgreich gelingen gelang gelungen | scheitern gescheitert scheiterte fehlschlag misserfolg; succès réussir réussi réussite | échouer échoué échec
possible able capable | impossible unable; möglich fähig | unmöglich; possible capable | impossible incapable
positive | negative; positiv | negativ; positif positive | négatif négative
import | export; einfuhr importieren import | ausfuhr exportieren export; importer importation | exporter exportation
north northern | south southern; nord norden nördlich | süd süden südlich; nord septentrional | sud méridional
east eastern | west western; ost osten östlich | west westen westlich; est oriental | ouest occidental
public | private; öffentlich staatlich | privat; public publique | privé privée
inside indoors internal | outside outdoors external; innen intern drinnen | außen extern draußen; intérieur interne | extérieur externe
always constantly | ; immer stets ständig | ; toujours constamment
all every entire whole | ; alle sämtliche gesamte ganze | ; tous toutes entier entière
improve improvement better improved enhance | worsen worse deteriorate; verbessern verbessert verbesserung besser | verschlechtern verschlechtert schlechter verschlechterung; améliorer amélioré amélioration meilleur mieux | aggraver aggravé pire détériorer
large big great huge major significant substantial considerable | small little minor slight; groß große großer großes erheblich bedeutend beträchtlich deutlich | klein kleine kleiner kleines gering geringe geringfügig leicht; grand grande important importante considérable significatif | petit petite faible léger
high tall | low; hoch hohe hoher hohes | niedrig niedrige tief; élevé élevée haut haute | bas basse
fast quick rapid quickly rapidly fastest | slow slowly; schnell rasch zügig | langsam; rapide rapidement vite | lent lentement
long longer | short shorter; lang lange länger | kurz kurze kürzer; long longue | court courte bref
safe secure | dangerous unsafe hazardous; sicher ungefährlich | gefährlich unsicher; sûr sûre sécurisé | dangereux dangereuse
rich wealthy | poor; reich | arm; riche | pauvre
strong strengthen | weak weaken; stark stärken | schwach schwächen; fort renforcer renforcé | faible affaiblir
easy simple | difficult hard complex complicated; einfach leicht | schwierig schwer komplex kompliziert; facile simple | difficile compliqué complexe
support favor favour backed endorse | oppose opposed against; unterstützen unterstützt befürworten | ablehnen gegner dagegen; soutenir soutenu appuyer | opposer opposé contre
add added attach | remove delete removed eliminate; hinzufügen hinzugefügt ergänzen | entfernen entfernt löschen gelöscht; ajouter ajouté | supprimer supprimé enlever retirer
arrive arrival came come | depart leave left departure; ankommen ankunft eintreffen | abfahren abreisen verlassen abfahrt; arriver arrivée | partir départ quitter quitté
legal lawful | illegal unlawful; legal rechtmäßig | illegal rechtswidrig; légal licite | illégal illicite
permanent unlimited | temporary limited; dauerhaft unbefristet unbegrenzt | vorübergehend befristet begrenzt; permanent illimité | temporaire limité provisoire
free gratis | paid; kostenlos gratis unentgeltlich kostenfrei | kostenpflichtig; gratuit gratuitement | payant
say said state stated report reported declare claim announce announced mention note explain explained; sagen sagte gesagt erklären erklärte erklärt mitteilen mitgeteilt teilte melden berichten berichtet meldete ankündigen angekündigt; dire dit déclarer déclaré indiquer annoncer annoncé affirmer expliquer rapporter préciser
company firm business enterprise corporation; unternehmen firma betrieb konzern gesellschaft; entreprise société compagnie firme groupe
employee worker staff personnel workforce; mitarbeiter angestellte beschäftigte arbeitnehmer personal belegschaft mitarbeitende; employé salarié personnel travailleur collaborateur effectif
revenue turnover sales; umsatz erlös umsätze erlöse; chiffre revenus recettes
cost expense price expenditure; kosten preis ausgaben aufwand; coût prix dépense frais
customer client; kunde kunden kundin; client clientèle
build built construct erect construction; bauen baute gebaut errichten errichtet erbaut bau erbauen; construire construit bâtir bâti construction ériger
create establish found founded set form formed; gründen gegründet gründete schaffen geschaffen gründung entstehen entstand; créer créé fonder fondé création établir établi
use used using utilize employ utilise; nutzen genutzt verwenden verwendet verwendung benutzen einsetzen eingesetzt nutzung; utiliser utilisé employer utilisation usage
show demonstrate indicate reveal suggest find found; zeigen zeigte gezeigt belegen aufzeigen nachweisen; montrer montré démontrer révéler indiquer
help assist aid; helfen hilft half geholfen hilfe unterstützen; aider aidé aide assister
child kid children kids; kind kinder kindern; enfant
man men male husband | woman women female wife; mann männer männlich ehemann | frau frauen weiblich ehefrau; homme mâle masculin mari | femme femelle féminin épouse
study research investigation survey; studie untersuchung forschung umfrage; étude recherche enquête
about approximately roughly around nearly almost; etwa rund ungefähr circa fast knapp nahezu; environ approximativement près presque
write wrote written author; schreiben schrieb geschrieben verfassen verfasst verfasste; écrire écrit rédiger rédigé
produce manufacture make made production; herstellen hergestellt produzieren produziert herstellung produktion erzeugen erzeugt; produire produit fabriquer fabriqué fabrication production
receive get got obtain; erhalten erhielt bekommen bekam bekommt; recevoir reçu obtenir obtenu
give gave given provide supply offer; geben gab gegeben bieten bietet anbieten bereitstellen liefern gewähren; donner donné fournir fourni offrir offre
keep maintain retain kept; behalten halten aufrechterhalten beibehalten; garder maintenir conserver conservé
change alter modify amend; ändern geändert änderung verändern verändert wechsel; changer changé modifier modifié changement
live reside inhabit; leben wohnen lebt wohnt; vivre habiter vit habite résider
die died death; sterben starb gestorben tod; mourir mort décéder décédé
born birth; geboren geburt; né née naître naissance
country nation state; land staat; pays état nation
city town; stadt; ville
area region zone; gebiet region bereich fläche zone; région zone superficie surface
last lasted duration; dauern dauert dauerte dauer; durer dure durée
pay paid payment; zahlen bezahlen gezahlt bezahlt zahlung; payer payé paiement verser
plan intend; planen geplant plant vorhaben beabsichtigen; prévoir prévu planifier
replace substitute; ersetzen ersetzt austauschen; remplacer remplacé
lead led head manage run; leiten leitet leitete geleitet führen führt führte geführt; diriger dirigé dirige mener
develop design devise; entwickeln entwickelt entwickelte entwerfen; développer développé concevoir conçu
discover detect; entdecken entdeckt entdeckte; découvrir découvert
happen occur take took taken place; geschehen stattfinden stattgefunden fand statt passieren; avoir lieu produire survenir
aim goal target objective purpose; ziel zweck; but objectif
need needs; brauchen benötigen benötigt braucht; besoin nécessiter
vehicle car automobile; fahrzeug auto wagen pkw; véhicule voiture automobile
doctor physician; arzt ärztin ärzte; médecin docteur
disease illness; krankheit erkrankung; maladie
house building home; haus gebäude häuser; maison bâtiment immeuble
quarter; quartal; trimestre
yearly annual annually; jährlich; annuel annuelle annuellement
monthly; monatlich; mensuel mensuellement
damage harm; schaden beschädigen schädigen; dommage dégât endommager
problem issue difficulty; problem schwierigkeit; problème difficulté
important essential key crucial vital; wichtig wesentlich entscheidend; important essentiel crucial
consist composed made; bestehen besteht bestand zusammensetzen; consister composé constitué
extend stretch extends; erstrecken erstreckt ausdehnen; étendre étend
see saw seen view; sehen sah gesehen; voir vu
go went gone travel; gehen ging gegangen fahren fuhr reisen; aller allé voyager
know knew known; wissen wusste bekannt; savoir connaître connu
think thought believe; denken dachte glauben; penser croire
hold held; halten hielt gehalten; tenir tenu
rule regulation; regel vorschrift regelung; règle règlement
document file; dokument datei; document fichier
request ask apply application; anfrage antrag beantragen anfordern; demande demander requête
check verify inspect examine; prüfen überprüfen prüft kontrollieren; vérifier contrôler examiner
damage; schaden; dégât
name call called named; nennen genannt heißen heißt; nommer appeler appelé
size extent; größe umfang; taille ampleur
consume consumption; verbrauchen verbrauch verbraucht; consommer consommation
protect protection; schützen schutz geschützt; protéger protection
store storage; lagern aufbewahren gelagert lagerung; stocker conserver stockage
send sent submit; senden gesendet einreichen eingereicht schicken; envoyer envoyé soumettre
deadline period; frist zeitraum; délai période
double doubled; doppelt verdoppeln verdoppelt verdoppelte verdoppelung; double doubler doublé
triple tripled; verdreifachen verdreifacht; triple tripler triplé
halve halved; halbieren halbiert; 
`
