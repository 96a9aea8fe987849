package support

// synonyms are groups of words of nearly the same meaning, one group per line:
// English; German; French, with irregular forms. Words after a bar mean the
// opposite.
const synonyms = `
increase rise rose risen grow grew grown growth climb gain surge jump up higher expand soar rising raise raised gained gaining climbed | decrease fall fell fallen drop decline shrink shrank shrunk reduce reduction down lower dip slump cut; erhöhen erhöht erhöhte erhöhung steigen steigt stieg stiegen gestiegen steigern gesteigert anstieg anstieg zunehmen zunahme zugenommen wachsen wuchs wächst gewachsen wachstum zulegen zugelegt kletterte ausbauen zulegte wuchsen gewachsene | senken gesenkt senkung sinken sinkt sank sanken gesunken fallen fiel fielen gefallen rückgang zurückgehen zurückgegangen abnehmen abnahme reduzieren reduziert verringern verringert schrumpfen schrumpfte schrumpften geschrumpft; augmenter augmente augmenté augmentation hausse croître croissance progresser progressé progression accroître accru grimper grimpé bond accroissement hausser | diminuer diminué diminution baisse baisser baissé chuter chuté chute reculer reculé recul réduire réduit réduction décliner
more | less fewer; mehr | weniger; plus | moins
above over exceed exceeded exceeding | below under; über oberhalb überschreiten überschritt übersteigt | unter unterhalb unterschreiten; supérieur dépasser dépasse | inférieur dessous
before prior previously earlier | after following afterwards later; vor vorher zuvor bevor früher | nach nachdem danach später; avant auparavant précédemment | après ensuite suite
maximum most max highest largest biggest | minimum least min lowest smallest; höchstens maximal maximum höchste größte | mindestens minimal minimum niedrigste kleinste; maximum maximal maximale | minimum minimal minimale
allow allowed permit permitted authorize authorized let entitled entitle right | forbid forbidden prohibit prohibited ban banned disallow; erlauben erlaubt gestatten gestattet zulässig darf berechtigt berechtigen anspruch erlaubnis | verbieten verboten untersagen untersagt unzulässig verbot; autoriser autorisé permettre permis permet droit autorisation | interdire interdit interdite interdits interdiction prohiber défendu défense
include contain comprise cover covered | exclude omit; enthalten enthält beinhalten umfassen umfasst einschließlich inklusive | ausschließen ausgeschlossen exklusive; inclure inclus comprendre comprend comprenant contenir contient | exclure exclu hors
open opened opening | close closed closing closure shut; öffnen geöffnet eröffnen eröffnet eröffnung öffnete eröffnete eröffneten | schließen geschlossen schloss schließt schließung; ouvrir ouvert ouverture ouvre inaugurer inauguré inauguration inaugurée | fermer fermé fermeture
start begin began begun launch commence initiate initially starting started | end finish complete completed completion stop cease conclude expire; beginnen begann begonnen beginn anfangen starten start gestartet anfang einführen eingeführt startete begannen | enden endet endete ende aufhören beenden beendet abschließen abgeschlossen fertigstellen fertiggestellt vollenden vollendet fertigstellung auslaufen ausläuft ablaufen abläuft; commencer début débuter débute lancer lancé lancement démarrer démarrage débuté | finir fin expirer terminer terminé achever achevé achèvement cesser arrêter
accept approve approved adopt agree approval consent accepted acceptance | reject deny denied refuse decline dismissed; annehmen angenommen akzeptieren billigen gebilligt zustimmen zugestimmt genehmigen genehmigt genehmigte genehmigung zustimmung einwilligung annahme | ablehnen abgelehnt lehnte zurückweisen verweigern verweigert; accepter accepté approuver approuvé adopter approbation accord consentement | refuser refusé rejeter rejeté
win won victory winner | lose lost loss defeat; gewinnen gewann gewonnen sieg sieger | verlieren verlor verloren niederlage; gagner gagné victoire remporter remporté | perdre perdu défaite
buy bought purchase acquire acquired acquisition buyer takeover purchased taking | sell sold sale sells; kaufen kaufte gekauft erwerben erwarb erworben übernehmen übernahm übernommen kauf kaufpreis aufkaufen aufgekauft übernahme erwerb | verkaufen verkaufte verkauft verkauf veräußern; acheter acheté acquérir acquis achat acquisition racheter racheté rachat acquérant | vendre vendu vente
profit profitable surplus | deficit unprofitable; überschuss gewinn rentabel | defizit verlust unrentabel; bénéfice excédent rentable | déficit perte
mandatory required obligatory compulsory require necessary must obliged obligation needed | optional voluntary; verpflichtend pflicht obligatorisch erforderlich notwendig nötig vorgeschrieben muss müssen verpflichtet | freiwillig optional; obligatoire nécessaire requis exiger exige obligation tenu doit | facultatif volontaire optionnel
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
large big great huge major significant substantial considerable largely greater | small little minor slight; groß große großer großes erheblich bedeutend beträchtlich deutlich größer | klein kleine kleiner kleines gering geringe geringfügig leicht; grand grande important importante considérable significatif grands grandes | petit petite faible léger
high tall | low; hoch hohe hoher hohes | niedrig niedrige tief; élevé élevée haut haute | bas basse
fast quick rapid quickly rapidly fastest speedy | slow slowly; schnell rasch zügig | langsam; rapide rapidement vite | lent lentement
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
company firm business enterprise corporation group; unternehmen firma betrieb konzern gesellschaft; entreprise société compagnie firme groupe
employee worker staff personnel workforce employ employees hire workers job; beschäftigt beschäftigen mitarbeiter angestellte beschäftigte arbeitnehmer personal belegschaft mitarbeitende arbeitskraft arbeitskräfte arbeitet; employé salarié personnel travailleur collaborateur effectif emploie emploient travaille travailleurs
revenue turnover sales; umsatz erlös umsätze erlöse; chiffre revenus recettes
cost expense price expenditure; kosten preis ausgaben aufwand; coût prix dépense frais
customer client; kunde kunden kundin; client clientèle
build built construct erect construction builder constructed erected; bauen baute gebaut errichten errichtet erbaut bau erbauen bauten erbauer errichtung; construire construit bâtir bâti construction ériger bâtie construite construites
create establish found founded set form formed founder founding foundation established establishment creation; gründen gegründet gründete schaffen geschaffen gründung entstehen entstand gründer gründerin schuf; créer créé fonder fondé création établir établi fondateur fondatrice fondée créée
use used using utilize employ utilise; nutzen genutzt verwenden verwendet verwendung benutzen einsetzen eingesetzt nutzung benutzt verwendete anwenden angewendet anwendung; utiliser utilisé employer utilisation usage
show demonstrate indicate reveal suggest find found shows revealed shown; zeigen zeigte gezeigt belegen aufzeigen nachweisen zeigt ergab ergeben; montrer montré démontrer révéler indiquer montre révèle
help assist aid; helfen hilft half geholfen hilfe unterstützen; aider aidé aide assister
child kid children kids; kind kinder kindern; enfant
man men male husband | woman women female wife; mann männer männlich ehemann | frau frauen weiblich ehefrau; homme mâle masculin mari | femme femelle féminin épouse
study research investigation survey; studie untersuchung forschung umfrage; étude recherche enquête
about approximately roughly around nearly almost; etwa rund ungefähr circa fast knapp nahezu; environ approximativement près presque
write wrote written author; schreiben schrieb geschrieben verfassen verfasst verfasste; écrire écrit rédiger rédigé
produce manufacture make made production produces producer manufactured manufacturer maker; herstellen hergestellt produzieren produziert herstellung produktion erzeugen erzeugt hersteller produzent gefertigt fertigen fertigt; produire produit fabriquer fabriqué fabrication production producteur fabricant
receive get got obtain receives entitled; erhalten erhielt bekommen bekam bekommt erhält empfangen; recevoir reçu obtenir obtenu reçoit reçoivent touche toucher touché perçoit percevoir
give gave given provide supply offer granted grant grants award; geben gab gegeben bieten bietet anbieten bereitstellen liefern gewähren gewährt gewährte erteilen erteilt; donner donné fournir fourni offrir offre accorder accordé octroyer
keep maintain retain kept keeps preserve preserved retained stays stay; behalten halten aufrechterhalten beibehalten aufbewahren aufbewahrt bewahrt; garder maintenir conserver conservé conservation gardé
change alter modify amend adjust adjusted revise revised; ändern geändert änderung verändern verändert wechsel angepasst anpassen überarbeitet; changer changé modifier modifié changement modifie remaniement révisé
live reside inhabit lives; leben wohnen lebt wohnt lebten wohnten; vivre habiter vit habite résider vivaient
die died death dies dead; sterben starb gestorben tod verstorben verstarb; mourir mort décéder décédé morte décès
born birth; geboren geburt; né née naître naissance
country nation state; land staat; pays état nation
city town; stadt; ville
area region zone; gebiet region bereich fläche zone; région zone superficie surface
last lasted duration lasts lasting; dauern dauert dauerte dauer gedauert; durer dure durée durent duré
pay paid payment pays payable; zahlen bezahlen gezahlt bezahlt zahlung zahlt gezahlten; payer payé paiement verser verse versé règlement
plan intend planned plans planning scheduled; planen geplant plant vorhaben beabsichtigen geplante plante; prévoir prévu planifier prévoit planification
replace substitute replaced replacement supersede superseded; ersetzen ersetzt austauschen ablösen abgelöst ersetzte ersatz; remplacer remplacé remplace remplacement
lead led head manage run leader leading direct directs manages managed manager ran runs heads; leiten leitet leitete geleitet führen führt führte geführt leiter leiterin leitung chef chefin führung; diriger dirigé dirige mener dirigeant direction dirigée chef
develop design devise; entwickeln entwickelt entwickelte entwerfen; développer développé concevoir conçu
discover detect; entdecken entdeckt entdeckte; découvrir découvert
happen occur take took taken place; geschehen stattfinden stattgefunden fand statt passieren; avoir lieu produire survenir
aim goal target objective purpose; ziel zweck; but objectif
need needs needed requires; brauchen benötigen benötigt braucht bedarf; besoin nécessiter
vehicle car automobile; fahrzeug auto wagen pkw; véhicule voiture automobile
doctor physician; arzt ärztin ärzte; médecin docteur
disease illness; krankheit erkrankung; maladie
house building home; haus gebäude häuser; maison bâtiment immeuble
quarter; quartal; trimestre
yearly annual annually; jährlich; annuel annuelle annuellement annuels
monthly; monatlich; mensuel mensuellement
damage harm; schaden beschädigen schädigen; dommage dégât endommager
problem issue difficulty; problem schwierigkeit; problème difficulté
important essential key crucial vital main chief principal; wichtig wesentlich entscheidend hauptsächlich; important essentiel crucial principal principale
consist composed made; bestehen besteht bestand zusammensetzen; consister composé constitué
extend stretch extends; erstrecken erstreckt ausdehnen; étendre étend
see saw seen view; sehen sah gesehen; voir vu
go went gone travel; gehen ging gegangen fahren fuhr reisen; aller allé voyager
know knew known; wissen wusste bekannt; savoir connaître connu
think thought believe; denken dachte glauben; penser croire
hold held; halten hielt gehalten; tenir tenu
rule regulation; regel vorschrift regelung; règle règlement
document file; dokument datei; document fichier
request ask apply application applied applies requested; anfrage antrag beantragen anfordern anträge beantragt; demande demander requête demandes
check verify inspect examine inspection checked inspected; prüfen überprüfen prüft kontrollieren prüfung kontrolle kontrolliert; vérifier contrôler examiner contrôle vérification inspection
damage; schaden; dégât
name call called named; nennen genannt heißen heißt; nommer appeler appelé
size extent; größe umfang; taille ampleur
consume consumption; verbrauchen verbrauch verbraucht; consommer consommation
protect protection; schützen schutz geschützt; protéger protection
store storage stored; lagern aufbewahren gelagert lagerung speichern gespeichert; stocker conserver stockage stocké
send sent submit sends transmit transmitted forwarded; senden gesendet einreichen eingereicht schicken übermitteln übermittelt sendet verschickt; envoyer envoyé soumettre envoie transmettre transmis
deadline period; frist zeitraum; délai période
double doubled doubles doubling twofold; doppelt verdoppeln verdoppelt verdoppelte verdoppelung; double doubler doublé doublement doublant
triple tripled; verdreifachen verdreifacht; triple tripler triplé
halve halved halves; halbieren halbiert halbierte; divisé
population inhabitant resident people residents inhabitants; bevölkerung einwohner bewohner leute menschen einwohnerzahl bürger; population habitant résident gens habitants
holiday vacation leave; urlaub urlaubstage ferien urlaubstag; congé vacances congés
salary wage pay remuneration earnings paycheck; gehalt lohn vergütung verdienst entgelt lohnfortzahlung bezüge; salaire rémunération traitement paie
sick ill sickness; krank erkrankt; malade
terminate termination cancel cancellation terminated cancelled canceled; kündigen kündigung gekündigt stornieren; résilier résiliation résilié annuler annulation annulé
liable liability responsible responsibility accountable; haften haftung haftet verantwortlich verantwortung; responsable responsabilité
invoice bill; rechnung; facture
late overdue delayed delay; verspätet überfällig verspätung verzug verzögerung; retard tardif
tenant lessee; mieter; locataire
landlord lessor; vermieter; bailleur propriétaire
agreement contract treaty; vertrag vereinbarung abkommen; contrat accord convention
tablet pill; tablette tabletten pille; comprimé cachet
dose dosage; dosis dosierung; dose posologie
side adverse; nebenwirkung nebenwirkungen; indésirable secondaire
medicine drug medication medicines drugs; arzneimittel medikament mittel präparat; médicament remède médicaments
patient sufferer; patient patienten patientin behandelte; patient malade
pregnant pregnancy; schwanger schwangere schwangerschaft; enceinte grossesse
swallow ingest taken; schlucken einnehmen eingenommen einnahme; avaler ingérer
device appliance machine equipment appliances; gerät apparat maschine anlage geräts; appareil machine dispositif équipement
install mount fit fitted mounted; installieren installiert montieren montiert einbauen montage; installer installé monter
warranty guarantee; garantie gewährleistung; garantie
clean wash cleaned cleaning; reinigen säubern waschen reinigung gereinigt gesäubert; nettoyer laver nettoyage nettoyé
press push; drücken drückt betätigen; appuyer presser
distance gap; abstand entfernung mindestabstand; distance écart
temperature; temperatur außentemperatur; température
rain precipitation rainfall; regen niederschlag niederschläge; pluie précipitations
melt melted thaw; schmelzen geschmolzen schmolz; fondre fondu fonte
average mean; durchschnitt durchschnittlich mittel mittlere mittleren; moyenne moyen
match game fixture final games matches; spiel partie begegnung finale spiele; match partie rencontre finale
team squad side club; mannschaft team verein elf; équipe club
score scored; treffen traf getroffen schoss erzielte erzielen; marquer marqué inscrire inscrit
spectator attendance audience fans crowd; zuschauer publikum besucher; spectateur public
champion championship title; meister meisterschaft titel; champion championnat titre
race run; rennen lauf; course
software program application app; software programm anwendung; logiciel programme application
version release edition; version ausgabe auflage; version édition
error bug fault defect errors failure; fehler mangel defekt störung fehlermeldung; erreur défaut bogue panne
memory ram; speicher arbeitsspeicher ram hauptspeicher; mémoire ram
user; nutzer benutzer anwender; utilisateur usager
default standard; standard voreinstellung standardmäßig vorgabe; défaut standard
delete erase; löschen löscht; effacer
password; passwort kennwort; mot passe
data; daten angaben; données
church cathedral abbey; kirche dom kathedrale; église cathédrale
fire blaze; brand feuer großbrand; incendie feu
destroy destroyed ruin destroys burned burnt; zerstören zerstört zerstörte vernichten vernichtet abgebrannt; détruire détruit ravager destruction
spare intact unharmed; verschont unversehrt; épargné intact
railway rail railroad train trains; bahn eisenbahn zug züge eisenbahnlinie; train rail ferroviaire chemin
route line connection; strecke linie verbindung; ligne trajet liaison parcours
ticket fare tickets; fahrkarte ticket fahrschein; billet ticket
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
appoint nominate appointed appointment; ernennen ernannt ernannte berufen ernennung berufung; nommer nommé désigner nommée nomination
resign resignation; zurücktreten rücktritt zurückgetreten; démissionner démission
succeed successor follow succeeded succession; nachfolgen nachfolger nachfolgerin folgte nachfolge; succéder successeur succédé relève
invest investment; investieren investiert investition; investir investissement
loan credit; kredit darlehen; prêt crédit
debt liabilities; schulden verbindlichkeiten; dette
tax duty; steuer abgabe; impôt taxe
shareholder stockholder investor; aktionär anleger; actionnaire investisseur
share stock; aktie anteil; action part
dividend payout; dividende ausschüttung; dividende
forecast expect expectation predict anticipate expected predicted estimate projected; erwarten erwartet erwartung prognose prognostizieren rechnet rechnen prognostiziert; prévoir prévision attendre attendu attend prévoit
confirm affirm confirmed confirmation; bestätigen bestätigt bestätigte bestätigung; confirmer confirmé confirmation
attribute cause due reason because attributed caused thanks owing; zurückführen grund ursache verursachen verursacht infolge aufgrund dank; attribuer cause raison due grâce
allocate assign; zuteilen zuweisen; attribuer affecter
headquarters based seat; hauptsitz sitz zentrale; siège
locate located situated lies; liegen gelegen befinden befindet; situer situé trouver
branch office subsidiary branches subsidiaries; filiale niederlassung tochter tochtergesellschaft niederlassungen; filiale agence succursale filiales
factory plant works factories mill mills; fabrik werk fabriken werke; usine fabrique usines site
store shop; geschäft laden; magasin boutique
hospital clinic; krankenhaus klinik; hôpital clinique
treat treatment therapy treated; behandeln behandelt behandlung therapie behandelte; traiter traitement thérapie soigner soigné soins
infect infection; infizieren infektion; infecter infection
risk danger; risiko gefahr; risque danger
accident crash; unfall unglück; accident
injure injury hurt wound injured injuries; verletzen verletzt verletzung; blesser blessé blessure blessés
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
choose select choice pick chose chosen; wählen gewählt auswählen wahl auswahl; choisir choisi choix
register sign enrol registered registration enrolled; anmelden angemeldet registrieren anmeldung registriert; inscrire inscription enregistrer inscrits
inform notify notice tell told informed; informieren informiert mitteilen benachrichtigen; informer avertir notifier
measure; messen misst gemessen; mesurer mesure
calculate compute; berechnen berechnet; calculer
divide split; teilen geteilt aufteilen; diviser partager
combine merge join; verbinden vereinigen zusammenschließen fusionieren; combiner fusionner unir
separate; trennen getrennt; séparer
exist existing exists; bestehend existieren vorhanden; exister existant
appear; erscheinen erschien erschienen; apparaître paraître
disappear vanish; verschwinden verschwunden; disparaître
continue proceed; fortsetzen weitermachen fortgesetzt; continuer poursuivre
return; zurückkehren rückkehr zurückgeben; retourner revenir retour
visit visitor visitors; besuchen besucht besuch besucher besucherin; visiter visite visiteur visiteurs
attend participate take; teilnehmen teilgenommen teilnahme; participer assister participation
meet met meeting; treffen begegnen sitzung; rencontrer réunion réunir
agree; einigen geeinigt; convenir
promise pledge commit; versprechen zusagen verpflichten; promettre engager
demand call; fordern forderte forderung; exiger réclamer
criticize criticise; kritisieren kritik; critiquer
praise; loben; louer
reward award prize; preis auszeichnung ausgezeichnet; prix récompense
propose suggest suggested proposal proposed; vorschlagen vorgeschlagen vorschlag; proposer proposé proposition
finance fund funded financed funding; finanzieren finanziert finanzierte finanzierung; financer financé financement
negotiate negotiation negotiations; verhandeln verhandelt verhandlung verhandlungen; négocier négocié négociation
own owner owns owned possess possession; besitzen besitzt besitzer eigentümer eigentum; posséder possède propriété
move relocate moved relocated relocation transfer transferred; umziehen umgezogen umzug verlegen verlegt verlagern; déménager déplacer transférer transféré
design designed designer drawn; gestalten gestaltet entwurf entwarf entworfen zeichnen; dessiner dessiné conception conçue
maintain maintenance upkeep servicing serviced; warten wartung gewartet instandhaltung instandhalten; entretenir entretien maintenance
crash collapse; absturz abstürzen abgestürzt; écraser effondrement
restore restoration renovate renovated renovation refurbish; sanieren sanierung saniert renovieren renoviert; restaurer rénover rénové rénovation restauration
enlarge extended enlarged enlargement extension; vergrößern erweitern erweitert erweiterung vergrößert; agrandir agrandi agrandie agrandissement
avoid avoided refrain; vermeiden vermieden meiden; éviter évité
decide decides decision decided; beschließen beschlossen beschloss beschluss; décider décidé décision
reach attain; erzielen erzielt; parvenir
compare compared comparison; vergleichen verglichen vergleich; comparer comparé comparaison
deliver delivered delivery supplied supplier; liefern lieferung geliefert lieferte lieferant beliefern beliefert; livrer livré livraison fournisseur
operate operation operator operated; betreiben betreibt betreiber betrieben; exploiter exploitation exploite exploitant
transport carry carried ship shipped convey; befördern befördert transportieren beförderung; transporter acheminer
connect link connected links linked; verknüpfen anschließen angeschlossen verbindet; relier relie connecter
consult; konsultieren; consulter
recommend advise advice recommended recommendation advised; empfehlen empfohlen empfiehlt empfehlung raten rät; conseiller recommander recommandé conseil
warn warning warned; warnen warnung; avertissement
resist; widerstehen; résister
prepare preparation; vorbereiten zubereiten zubereitung vorbereitung; préparer préparation
drink drunk; trinken getrunken; boire bu
eat eaten; essen gegessen verzehren; manger consommée
soak soaked; einweichen eingeweicht; tremper trempé
cook boil cooked boiled; kochen gekocht köchin koch; bouillir cuisiner cuisinier
sea ocean; meer ozean; mer océan
ice glacier; eis gletscher; glace glacier
warming hotter; erwärmung; réchauffement
measurement gauge; messung messwert; relevé
emission exhaust; ausstoß emission emissionen; émission rejet
energy power electricity; energie strom elektrizität; énergie électricité courant
pollution contamination; verschmutzung; pollution
storm gale; sturm unwetter; tempête orage
drought; dürre trockenheit; sécheresse
flood flooding; hochwasser überschwemmung; inondation crue
harvest crop yield; ernte ertrag; récolte rendement
forest wood woodland; wald forst; forêt bois
farm farmer agriculture; landwirt bauernhof landwirtschaft bauer; ferme agriculteur agriculture exploitation
bridge; brücke; pont
tower; turm; tour
wall ramparts fortification; mauer stadtmauer befestigung; mur remparts muraille
castle palace; schloss burg; château palais
museum; museum; musée
painter artist; maler malerin künstler; peintre artiste
famous renowned; berühmt; célèbre réputé
mention; erwähnen erwähnt erwähnung; mentionner
inhabit settle; besiedeln; peupler
besiege conquer capture seize captured seized; erobern erobert einnahm; conquérir emparer conquis empara
bomb bombed bombing; bombardieren bombardiert; bombarder bombardé
evacuee refugee displaced; vertriebene flüchtlinge vertriebenen; réfugié
market fair; markt; marché foire
trade commerce; handel; commerce négoce
goalkeeper keeper; torwart torhüter; gardien
captain skipper; kapitän mannschaftskapitän; capitaine
coach trainer manager; trainer trainerin; entraîneur sélectionneur
stadium arena ground; stadion arena; stade arène
season; saison spielzeit; saison
tournament cup competition; turnier pokal wettbewerb; tournoi coupe compétition
runner athlete; läufer sportler; coureur athlète
record; rekord; record
lap; runde; tour
backup copy; sicherung datensicherung sicherungskopie backup; sauvegarde copie
encrypt encryption encrypted; verschlüsseln verschlüsselt verschlüsselung; chiffrer chiffrement chiffré
server host; server rechner; serveur hôte
setting parameter option configuration; einstellung parameter konfiguration; réglage paramètre configuration
upgrade update updated; aktualisieren aktualisierung aktualisiert; mettre mise actualiser
login signon authentication authenticate; anmeldung authentifizierung; authentification connexion identification
disk drive; festplatte laufwerk; disque
concurrent simultaneous simultaneously; gleichzeitig; simultané simultanément
latency response; latenz antwortzeit; latence
hour; stunde stunden; heure heures
week weekly; woche wöchentlich wochen; semaine hebdomadaire semaines
daily everyday; täglich tag tage; quotidien quotidiennement jour jours
night nightly overnight; nacht nachts nächtlich; nuit nocturne
morning; morgen morgens; matin matinée
evening; abend abends; soir soirée
proportion percentage ratio; anteil prozentsatz verhältnis; proportion pourcentage ratio
majority mostly; mehrheit überwiegend großteil meisten; majorité plupart
minority; minderheit; minorité
certificate proof; bescheinigung attest nachweis zeugnis krankschreibung; certificat attestation justificatif
probation probationary trial; probezeit; essai probatoire
supervisor superior boss; vorgesetzter vorgesetzte vorgesetzten; supérieur responsable hiérarchique
overtime; überstunden mehrarbeit; supplémentaires
remote telework home teleworking; mobiles homeoffice fernarbeit telearbeit; télétravail distance
expire lapse forfeited; verfallen verfällt; périmer
parent parental maternity paternity; eltern elternzeit; parent parental paternité
hearing; anhörung; audience
dispute conflict disagreement; streit streitigkeit streitigkeiten; litige différend
arbitration arbitrator; schiedsgericht schiedsverfahren; arbitrage
clause provision; klausel bestimmung; clause disposition
party; partei vertragspartei; partie
rent rental; miete nettokaltmiete kaltmiete; loyer location
deposit security; kaution sicherheit; caution dépôt
interest; zins zinsen; intérêt
flat apartment; wohnung; appartement logement
pet animal animals pets; haustier tier tiere kleintiere; animal animaux
repair fix; reparatur reparieren reparaturen; réparer réparation
headache migraine; kopfschmerzen kopfschmerz; migraine céphalée
dizzy dizziness vertigo; schwindel; vertige
breastfeed nursing; stillen stillzeit; allaiter allaitement
adult grown; erwachsene erwachsener; adulte
symptom sign; symptom anzeichen; symptôme signe
swell swelling; anschwellen schwellung; gonfler gonflement
effect impact influence; wirkung auswirkung einfluss; effet impact influence
rare rarely seldom; selten; rare rarement
frequent common often frequently; häufig oft; fréquent fréquemment souvent courant
water; wasser; eau
hose pipe; schlauch rohr; tuyau
cable cord lead wire; kabel leitung; câble fil cordon
button key; taste knopf; bouton touche
noise sound loudness; lärm geräusch schallpegel; bruit sonore
filter; filter; filtre
battery accumulator; akku batterie; batterie pile
charge recharge; aufladen laden; charger recharger
launch liftoff takeoff; start abheben; décollage
crew astronaut; besatzung astronaut; équipage astronaute
planet; planet; planète
picture photograph image photo photographs; bild foto aufnahme; photo image photographier
transmit relay; übertragen übertragung; relayer
punctual punctuality; pünktlich pünktlichkeit; ponctuel ponctualité
bicycle bike bikes; fahrrad fahrräder rad; vélo bicyclette
tram tramway; straßenbahn tram; tram tramway
station stop; bahnhof haltestelle station; gare station arrêt
platform; bahnsteig gleis; quai
journey trip; reise fahrt; voyage trajet
reserve book reservation booking; reservieren reservierung buchen; réserver réservation
estimate estimation; schätzen geschätzt schätzung; estimer estimation
contribute contribution; beitragen beitrag beigetragen; contribuer contribution
fix determined; festlegen festgelegt bestimmen; fixer fixé
limit cap ceiling; grenze begrenzen obergrenze; limite plafond limiter limité
`
