package citations

// synonyms are groups of words that mean nearly the same: English; German;
// French, one group a line, with irregular forms. Behind a bar stand those that mean the opposite.
const synonyms = `
increase rise rose risen grow grew grown growth climb gain surge jump up higher expand soar | decrease fall fell fallen drop decline shrink shrank shrunk reduce reduction down lower dip slump cut; erhöhen erhöht erhöhte erhöhung steigen steigt stieg stiegen gestiegen steigern gesteigert anstieg anstieg zunehmen zunahme zugenommen wachsen wuchs wächst gewachsen wachstum zulegen zugelegt kletterte ausbauen | senken gesenkt senkung sinken sinkt sank sanken gesunken fallen fiel fielen gefallen rückgang zurückgehen zurückgegangen abnehmen abnahme reduzieren reduziert verringern verringert schrumpfen schrumpfte schrumpften geschrumpft; augmenter augmente augmenté augmentation hausse croître croissance progresser progressé progression accroître accru grimper grimpé bond | diminuer diminué diminution baisse baisser baissé chuter chuté chute reculer reculé recul réduire réduit réduction décliner
more | less fewer; mehr | weniger; plus | moins
above over exceed exceeded exceeding | below under; über oberhalb überschreiten überschritt übersteigt | unter unterhalb unterschreiten; supérieur dépasser dépasse | inférieur dessous
before prior previously earlier | after following afterwards later; vor vorher zuvor bevor früher | nach nachdem danach später; avant auparavant précédemment | après ensuite suite
maximum most max highest largest biggest | minimum least min lowest smallest; höchstens maximal maximum höchste größte | mindestens minimal minimum niedrigste kleinste; maximum maximal maximale | minimum minimal minimale
allow allowed permit permitted authorize authorized | forbid forbidden prohibit prohibited ban banned disallow; erlauben erlaubt gestatten gestattet zulässig | verbieten verboten untersagen untersagt unzulässig verbot; autoriser autorisé permettre permis permet | interdire interdit interdite interdits interdiction prohiber
include contain comprise cover covered | exclude omit; enthalten enthält beinhalten umfassen umfasst einschließlich inklusive | ausschließen ausgeschlossen exklusive; inclure inclus comprendre comprend comprenant contenir contient | exclure exclu hors
open opened opening | close closed closing closure shut; öffnen geöffnet eröffnen eröffnet eröffnung öffnete eröffnete | schließen geschlossen schloss schließt schließung; ouvrir ouvert ouverture ouvre inaugurer inauguré | fermer fermé fermeture
start begin began begun launch commence initiate | end finish stop cease conclude expire; beginnen begann begonnen beginn anfangen starten start gestartet anfang einführen eingeführt | enden endet endete ende aufhören beenden beendet abschließen abgeschlossen auslaufen ausläuft ablaufen abläuft; commencer début débuter débute lancer lancé lancement démarrer | finir fin expirer terminer terminé achever cesser arrêter
accept approve approved adopt agree | reject deny denied refuse decline dismissed; annehmen angenommen akzeptieren billigen gebilligt zustimmen zugestimmt genehmigen genehmigt genehmigte | ablehnen abgelehnt lehnte zurückweisen verweigern verweigert; accepter accepté approuver approuvé adopter | refuser refusé rejeter rejeté
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
employee worker staff personnel workforce employ; beschäftigt beschäftigen mitarbeiter angestellte beschäftigte arbeitnehmer personal belegschaft mitarbeitende; employé salarié personnel travailleur collaborateur effectif emploie emploient
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
population inhabitant resident people; bevölkerung einwohner bewohner leute menschen; population habitant résident gens
holiday vacation leave; urlaub urlaubstage ferien; congé vacances congés
salary wage pay remuneration earnings; gehalt lohn vergütung verdienst entgelt; salaire rémunération traitement paie
sick ill sickness; krank erkrankt; malade
terminate termination cancel cancellation; kündigen kündigung gekündigt stornieren; résilier résiliation résilié annuler annulation
liable liability responsible responsibility; haften haftung haftet verantwortlich verantwortung; responsable responsabilité
invoice bill; rechnung; facture
late overdue delayed delay; verspätet überfällig verspätung verzug verzögerung; retard tardif
tenant lessee; mieter; locataire
landlord lessor; vermieter; bailleur propriétaire
agreement contract treaty; vertrag vereinbarung abkommen; contrat accord convention
tablet pill; tablette tabletten pille; comprimé cachet
dose dosage; dosis dosierung; dose posologie
side adverse; nebenwirkung nebenwirkungen; indésirable secondaire
medicine drug medication; arzneimittel medikament mittel präparat; médicament remède
patient sufferer; patient patienten patientin behandelte; patient malade
pregnant pregnancy; schwanger schwangere schwangerschaft; enceinte grossesse
swallow ingest; schlucken einnehmen eingenommen einnahme; avaler ingérer
device appliance machine equipment; gerät apparat maschine anlage; appareil machine dispositif équipement
install mount fit; installieren installiert montieren montiert einbauen montage; installer installé monter
warranty guarantee; garantie gewährleistung; garantie
clean wash; reinigen säubern waschen reinigung; nettoyer laver nettoyage
press push; drücken drückt betätigen; appuyer presser
distance gap; abstand entfernung mindestabstand; distance écart
temperature; temperatur außentemperatur; température
rain precipitation rainfall; regen niederschlag niederschläge; pluie précipitations
melt melted thaw; schmelzen geschmolzen schmolz; fondre fondu fonte
average mean; durchschnitt durchschnittlich mittel mittlere mittleren; moyenne moyen
match game fixture final; spiel partie begegnung finale; match partie rencontre finale
team squad side club; mannschaft team verein elf; équipe club
score scored; treffen traf getroffen schoss erzielte erzielen; marquer marqué inscrire inscrit
spectator attendance audience fans crowd; zuschauer publikum besucher; spectateur public
champion championship title; meister meisterschaft titel; champion championnat titre
race run; rennen lauf; course
software program application app; software programm anwendung; logiciel programme application
version release edition; version ausgabe auflage; version édition
error bug fault defect; fehler mangel defekt störung; erreur défaut bogue panne
memory ram; speicher arbeitsspeicher ram hauptspeicher; mémoire ram
user; nutzer benutzer anwender; utilisateur usager
default standard; standard voreinstellung standardmäßig vorgabe; défaut standard
delete erase; löschen löscht; effacer
password; passwort kennwort; mot passe
data; daten angaben; données
church cathedral abbey; kirche dom kathedrale; église cathédrale
fire blaze; brand feuer großbrand; incendie feu
destroy destroyed ruin; zerstören zerstört zerstörte vernichten vernichtet; détruire détruit ravager
spare intact unharmed; verschont unversehrt; épargné intact
finish complete completed completion; fertigstellen fertiggestellt vollenden vollendet fertigstellung; achever achevé achèvement
railway rail railroad train; bahn eisenbahn zug züge; train rail ferroviaire
route line connection; strecke linie verbindung; ligne trajet liaison parcours
ticket fare; fahrkarte ticket fahrschein; billet ticket
passenger traveller; fahrgast fahrgäste passagier reisende; passager voyageur
speed velocity; geschwindigkeit tempo; vitesse
spacecraft probe satellite; raumsonde sonde satellit; sonde satellite vaisseau engin
weigh weight mass; wiegen wiegt gewicht masse; peser pèse poids masse
orbit; umlaufbahn orbit; orbite
dough; teig; pâte
bake baked; backen gebacken backt; cuire cuit cuisson
loaf bread; brot laib; pain miche
heat warm; erhitzen erwärmen wärme; chauffer réchauffer
mix stir blend; mischen rühren verrühren vermischen; mélanger remuer
teach teacher; lehren lehrer lehrerin; enseigner enseignant professeur
pupil student; schüler student studierende; élève étudiant
school; schule; école
vote ballot; abstimmen abstimmung stimme; voter vote scrutin
parliament assembly council; parlament rat stadtrat gemeinderat; parlement assemblée conseil
law act statute legislation; gesetz recht; loi droit
court tribunal; gericht; tribunal cour
judge rule ruled ruling; urteilen urteil entscheiden entschied entschieden entscheidung; juger jugement
fine penalty; strafe bußgeld geldstrafe; amende peine
investigate probe; ermitteln untersuchen untersucht; enquêter examiner
appoint nominate; ernennen ernannt ernannte berufen; nommer nommé désigner
resign resignation; zurücktreten rücktritt zurückgetreten; démissionner démission
succeed successor follow; nachfolgen nachfolger nachfolgerin; succéder successeur
invest investment; investieren investiert investition; investir investissement
loan credit; kredit darlehen; prêt crédit
debt liabilities; schulden verbindlichkeiten; dette
tax duty; steuer abgabe; impôt taxe
shareholder stockholder investor; aktionär anleger; actionnaire investisseur
share stock; aktie anteil; action part
dividend payout; dividende ausschüttung; dividende
forecast expect expectation predict anticipate; erwarten erwartet erwartung prognose prognostizieren; prévoir prévision attendre attendu
confirm affirm; bestätigen bestätigt bestätigte; confirmer confirmé
attribute cause due reason because; zurückführen grund ursache verursachen; attribuer cause raison
allocate assign; zuteilen zuweisen; attribuer affecter
headquarters based seat; hauptsitz sitz zentrale; siège
locate located situated lies; liegen gelegen befinden befindet; situer situé trouver
branch office subsidiary; filiale niederlassung tochter tochtergesellschaft; filiale agence succursale
factory plant works; fabrik werk; usine fabrique
store shop; geschäft laden; magasin boutique
hospital clinic; krankenhaus klinik; hôpital clinique
treat treatment therapy; behandeln behandelt behandlung therapie; traiter traitement thérapie
infect infection; infizieren infektion; infecter infection
risk danger; risiko gefahr; risque danger
accident crash; unfall unglück; accident
injure injury hurt wound; verletzen verletzt verletzung; blesser blessé blessure
kill killed; töten getötet; tuer tué
rescue save saved; retten gerettet; sauver
attack assault; angriff angreifen; attaque attaquer
war conflict; krieg konflikt; guerre conflit
peace; frieden; paix
king monarch; könig; roi
emperor; kaiser; empereur
century; jahrhundert; siècle
ancient old; alt alte alten; ancien vieux
modern new recent; neu neue neuen modern; nouveau récent moderne
repeat again; wiederholen erneut; répéter nouveau
choose select choice pick; wählen gewählt auswählen wahl auswahl; choisir choisi choix
register sign enrol; anmelden angemeldet registrieren anmeldung; inscrire inscription enregistrer
inform notify notice tell told; informieren informiert mitteilen benachrichtigen; informer avertir notifier
measure; messen misst gemessen; mesurer mesure
calculate compute; berechnen berechnet; calculer
divide split; teilen geteilt aufteilen; diviser partager
combine merge join; verbinden vereinigen zusammenschließen fusionieren; combiner fusionner unir
separate; trennen getrennt; séparer
exist existing; bestehend existieren vorhanden; exister existant
appear; erscheinen erschien erschienen; apparaître paraître
disappear vanish; verschwinden verschwunden; disparaître
continue proceed; fortsetzen weitermachen fortgesetzt; continuer poursuivre
return; zurückkehren rückkehr zurückgeben; retourner revenir retour
visit; besuchen besucht besuch; visiter visite
attend participate take; teilnehmen teilgenommen teilnahme; participer assister participation
meet met meeting; treffen begegnen sitzung; rencontrer réunion réunir
agree; einigen geeinigt; convenir
promise pledge commit; versprechen zusagen verpflichten; promettre engager
demand call; fordern forderte forderung; exiger réclamer
criticize criticise; kritisieren kritik; critiquer
praise; loben; louer
reward award prize; preis auszeichnung ausgezeichnet; prix récompense
`
