package support

// vocabulary extends synonyms, in the same form. A line that begins with + adds to
// the group of its first word, on that word's side.
const vocabulary = `
+increase upturn uptick upswing escalate escalated intensify swell ascend ascended advance advanced boost boosted; zuwachs steigerung aufwärts anwachsen angewachsen hochgehen emporsteigen vermehren vermehrt vermehrung anheben angehoben anhebung anziehen heraufsetzen; majoration majorer majoré relever relevé relèvement élévation montée multiplier
+decrease downturn lessen lessened lessening diminish diminished diminution dwindle dwindled plunge plunged plummet plummeted slide slid ebb shrinkage lowering lowered; absenken abgesenkt absenkung herabsetzen herabgesetzt herabsetzung kürzung kürzen gekürzt einbruch nachlassen abbauen abbau; abaissement abaisser abaissé amoindrir régresser régression rétrécir amputer dégringoler
+more additional extra further; zusätzlich weitere weiterer weiteres; davantage supplémentaire
+exceed surpass surpassed surpasses outstrip outnumber; übertreffen übertrifft übertraf übertroffen übersteigen überstieg überschritten; excéder excède surpasser surpassé
+allow permission permissible permissive allowable license licensed licence consented eligible eligibility; befugnis befugt befugte genehmigungsfähig dürfe zulassen zugelassen; permission habiliter habilité autorise autorisée licence
+forbid forbade forbids prohibits prohibition bars barred banning outlaw outlawed inadmissible; verbietet verbot untersagung untersagte verboten; interdits prohibé prohibée bannir banni proscrire proscrit
+include incorporate incorporates incorporated comprising contains containing encompass encompasses consists house houses housed feature features featured; beinhaltet beinhalten birgt umfasste umfassend umfasst mitumfasst enthielt aufweisen aufweist verfügt verfügen; contient contenait renferme renfermer englober englobe comporte comporter comportait abrite abriter dote doté dotée dispose disposer
+open reopen reopened reopening inaugurate inaugurated inauguration inaugurates; einweihen eingeweiht weihte einweihung wiedereröffnung wiedereröffnet wiedereröffnen; rouvrir rouvert rouverte réouverture
+close closes shutdown shuttered shutter; schließung geschlossene schließen stilllegung stillgelegt stilllegen dichtmachen; fermée fermées ferme fermera
+start starts starting startup onset outset inception begins beginning commenced commencement commences embark embarked introduce introduced introduction; anlaufen angelaufen anlauf aufnehmen aufgenommen einführung beginnt begann beginnend einsetzt; entamer entamé entame démarre commence commencé commencement amorcer amorcé introduction introduire
+end ends ended ending finished finishes ceased ceases cessation concluded conclusion discontinue discontinued halt halted halts stopped stops expires expiry expiration; einstellen eingestellt einstellung stellte abschluss beendigung beendete endend aufgehört stopp stoppen gestoppt erlöschen erlischt abbruch abbrechen abgebrochen; cesse cessera cessation fini finit arrêt arrêté arrêtée terme achève interrompre interrompu interruption clore clos clôture clôturer échéance
+accept accepts embrace passed ratify ratified ratification endorse greenlight greenlit assent; ratifizieren ratifiziert ratifizierung verabschieden verabschiedet verabschiedung bewilligen bewilligt bewilligung befürwortet absegnen zusage; ratifier ratifié ratification entériner entériné valider validé adoption adopté adoptée agréer aval feu
+reject rejects rejection rebuff rebuffed dismiss dismissal veto vetoed denial denies; ablehnung abgewiesen abweisen zurückgewiesen zurückweisung verwerfen verworfen absage; rejet rejette rejeté refuse décliner débouter débouté
+win wins winning winners triumph triumphed prevail prevailed beat; siegreich siegen siegte gesiegt besiegen besiegte schlug bezwang bezwingen triumph; vainqueur vaincre battre triompher triomphe emporter gagnant gagnante gagne remporte
+lose loses losing loser losers; unterliegen unterlag unterlegen verlierer verliert; perd perdant perdants
+buy buys buying bought purchaser purchases acquires acquiring; käufer käuferin kaufte erwerber ankauf ankaufen gekauftes; acheteur acheteuse achète achat achats acquiert acquéreur rachète
+sell seller selling vendor divest divested divestment divestiture disposal offload; verkäufer verkäuferin verkäufe veräußerung veräußert; vend vendeur vendue cession céder cédé cédée
+mandatory must requirement requirements requires oblige obligatory obligated bound duty shall prescribed prescribe stipulate stipulated stipulates; vorschreiben schreibt zwingend pflichtig verpflichtung verpflichten müsste unerlässlich vorgabe gefordert; obligatoirement obligé obligée obliger oblige imposer impose imposé exigé exigée requise devoir devra astreint contraint indispensable prescrit
+optional voluntarily discretionary elective; wahlweise fakultativ; facultative volontairement
+enable enables; einzuschalten freischalten freigeschaltet; activation enclencher
+disable disabling deactivation; deaktivierung abschalten abgeschaltet abschaltung; désactivation
+possible feasible possibly possibility ability; möglichkeit machbar vermag; possibilité faisable pouvoir
+improve improves improving upgraded enhances enhanced enhancement refine optimise optimize; optimieren optimiert optimierung steigern aufwerten; améliore améliorée optimiser optimisé perfectionner
+worsen worsened worsening deteriorated deterioration degrade degraded; verschlimmern verschlimmert verschlechterte; dégrader dégradé dégradation empirer aggravation
+large sizeable sizable enormous immense vast extensive; riesig gewaltig umfangreich enorm; vaste énorme immense gros grosse
+small tiny limited modest negligible; winzig bescheiden mäßig; minime modeste restreint infime
+fast swift swiftly faster promptly prompt; flott geschwind schneller schnellste; prompt promptement
+slow slower slowest; langsamer; lente ralentir ralenti
+strong stronger robust reinforce reinforced; kräftig stärker verstärken verstärkt; forte solide robuste
+difficult challenging tough arduous; anspruchsvoll mühsam; ardu délicat
+support supporting supports backing sponsor sponsored sponsorship back; förderung fördern gefördert sponsern; soutient soutien parrainer parrainé appui
+add adding adds addition append appended insert inserted supplement; zugeben zugegeben dazugeben einfügen eingefügt zusatz zufügen beigeben beigefügt; ajout ajoute ajoutez ajoutée incorporer incorporez insérer inséré
+remove removal removing removes withdraw withdrawn drop dropped scrap scrapped abolish abolished abolition; beseitigen beseitigt abschaffen abgeschafft abschaffung wegfallen streichen gestrichen; suppression supprimée retrait retirez retiré abolir aboli abolition ôter
+arrive arrives arrived arriving reach; angekommen eingetroffen kam; arrivé arrive arrivera
+leave departs departed departing leaves leaving exit quit quits; verlässt verließ ausscheiden ausgeschieden weggang ausstieg abgang abreise; quitte quitté départ
+permanent permanently indefinite; unbefristete dauernd; permanente durable
+temporary temporarily interim; zeitweise befristete vorläufig interimistisch; temporairement provisoirement intérimaire
+free complimentary charge; umsonst kostenfreie kostenlose; gratuite gratuits
+say says saying tells inform informs according statement declared revealed disclosed disclose stressed emphasised emphasized commented comment added; sagt sprach betonen äußern äußerte äußerung bekanntgeben bekannt verkünden verkündete verkündet angeben angegeben hieß; souligner souligné dévoiler dévoilé mentionner déclaration annonce communiqué signaler signalé
+company enterprises organisation organization corporate companies firms; organisation firmen unternehmens; organisation entreprises sociétés
+employee employs employed employment employing staffed recruit recruited recruitment recruits hired hiring workers jobs payroll headcount labour labor; stelle stellen arbeitsplatz arbeitsplätze anstellen angestellt einstellungen beschäftigung beschäftigter bediensteter mitarbeiterin; embaucher embauché embauche recruter recruté recrutement emploi emplois postes salariés employés main
+revenue income proceeds receipts takings; einnahmen einkünfte verkaufserlöse; recette rentrées
+cost costs costing priced fee fees charges charge expenses spend spent spending tariff outlay; kosten kostet kostete gekostet gebühr gebühren aufwendungen preise betrag tarif ausgegeben; coûte coûter coûtait coûté frais tarif tarifs débourser dépenser dépensé montant redevance
+customer buyers clients customers consumer; kundschaft auftraggeber verbraucher; clients consommateur
+build rebuild rebuilt reconstruct reconstruction; wiederaufbau wiederaufgebaut aufbauen aufgebaut; reconstruire reconstruit reconstruction bâtiment édifier édifié édification bâtisseur
+create forming formation launch originated originate sets; entstanden gegründete ursprung bildung bilden gebildet; instituer institué instauration instaurer instauré naissance
+use uses usage utilization utilisation employed apply; nutzt benutzung gebrauch gebrauchen verwendet eingesetzte; utilise utilisée utilisées servir sert emploi employée
+show demonstrates demonstrated indicates suggested suggests evidence illustrate; belegt beweisen bewiesen hinweis deutet; démontre indique atteste attester prouver prouvé
+help helped helping helps assistance aided; unterstützung helfend; aides assistance assister
+study studies examine analysed analyzed analysis analyse; analyse studien analysieren erforschen; analyse analyser études
+receive receives received recipient recipients earn earns earned beneficiary granted collect; empfänger empfängerin bezieht beziehen kriegt bekommene verdient; bénéficie bénéficier bénéficiaire obtient percevoir gagne
+give gives giving given grants granting supplies provides provided offers offering; gewährung angebot stellt bereitgestellt geliefert; donne offerte octroi octroie octroyé attribue fournit fourni procure
+keep keeping remains remain preserves preservation; behielt beibehaltung erhaltung weiterhin; garde maintien maintenu conserve préserver préservé
+change changes alteration altered modification modified amended amendment switched switching; umstellen umgestellt umstellung modifizieren modifiziert abändern; modification évolution évoluer transformé transformer transformation
+live lives living lived dwell dwelling; wohnhaft bewohnen bewohnt; réside domicilié domicile habitation vécu
+die dying passed deceased fatal fatally deaths dead; tödlich tote toten gestorbenen ableben sterbefall; décédée mortel mortelle meurt mourut défunt décès
+born births; geburten geburtsort gebürtig; natif native née
+last lasting persists endure endured continues; währt andauern andauert anhalten anhält; durera durait durable
+pay pays paying payments remit remunerate reimbursed; entrichten entrichtet begleichen beglichen überweisen überwiesen vergüten auszahlen ausgezahlt; acquitter acquitte régler réglé verser versement versés payés
+plan plans intends intended intention intends aims schedule; pläne plante vorgesehen vorsehen geplanten beabsichtigt beabsichtigte; planifié envisager envisagé envisage intention projeter projette projeté
+replace replaces replacing replacements; ersetzen ersatzweise abgelöst ablösung; remplacée remplaçant remplacer
+lead presides preside presided chair chaired chairs oversee oversees oversaw supervise supervises runs headed helm management; vorsteht vorstehen vorsitz geleitete verwaltet verwalten; présider préside présidé piloter pilote pilotage gérer gère géré encadrer
+develop development developer developers developed devised; entwicklung entwickler entwicklerin erarbeiten erarbeitet; développement développeur développée élaborer élaboré
+discover discovered discovery uncovered uncover unearthed; entdeckung auffinden aufgefunden; découverte découvre
+happen happens happened occurs occurred occurring held; ereignen ereignete ereignet passiert passierte geschah geschehen stattfindet; survenu survient arrive déroule dérouler déroulé produit
+need needs necessitate necessitates calls; benötigte erfordern erfordert; besoins nécessite nécessitent
+important crucially importance core; wichtigste wichtiger zentral; essentielle majeure primordial
+extend spans span spanning extending reaches; reicht reichen umspannt; étend étendant
+request requests requesting applying apply applicant petition claim; ersuchen antragsteller antragstellung bewerben bewerbung erbitten; solliciter sollicité sollicitation postuler candidature réclamation
+check checks checking inspections verified verification review reviewed reviews monitor monitored monitoring audit audited; überprüfung überprüft kontrollieren überwachen überwacht überwachung begutachten; vérifié vérifie surveiller surveillance audit inspecter inspecté révision
+name names dubbed known titled entitled baptised; benannt bezeichnet namen genannten; nommée baptisé baptisée appelée intituler intitulé dénommé
+consume consumes consumed; verbraucht verbrauchte; consomme consommée consommé
+protect protects protected safeguard safeguards shield; schützt absichern abgesichert; protège protégé protégée préserver
+store stores storing kept; aufzubewahren lagern lagert einlagern; stockée conservez entreposer entreposé entrepôt
+send sending sends dispatch dispatched mailed emailed email; versenden versendet abgeschickt schickt zusenden zugesandt; expédier expédié expédition adresser adressé transmis
+double doubles; doppelte zweifach zweifache; doubles
+salary wages salaries pays compensation stipend; gehälter löhne besoldung verdienste; salaires rémunérations
+terminate terminating terminates rescind rescinded revoke revoked; kündigt gekündigte aufheben aufgehoben aufhebung widerrufen storniert stornierung; résilie résiliée rompre rompu rupture
+liable liabilities charge answerable; zuständig zuständigkeit; chargé chargée
+late later tardy delays postponed postpone postponement; verspäten verzögert verschoben verschieben; retards retardé reporté reporter
+agreement accord pact deal contracts agreements contractual; abmachung verträge vertraglich übereinkunft; contractuel contrats accords pacte traité
+side effect undesirable unwanted reaction; unerwünscht unerwünschte; effets indésirables
+swallow ingestion taking intake; eingenommene einnimmt nimmt; ingestion prise prendre
+install installation fitting mounting; einbau eingebaut aufstellen aufgestellt; installation installée montage
+clean washing cleans; säuberung sauber putzen; lavage lavé propre
+melt melts melting; schmelze abschmelzen schmilzt; fonte fondant
+score scores scoring scorer netted goalscorer; torschütze tore traf; marque buteur marqué
+attendance attendances onlookers; zuschauerin zuschauerzahl; affluence spectateurs assistance
+software programs programme programmes applications; programme anwendungen; logiciels applications
+destroy destruction destroys demolish demolished demolition razed wrecked levelled; zerstörung abriss abreißen abgerissen niedergebrannt vernichtung; démolir démoli démolition détruite ravagé
+weigh weighs weighed weighing; wog schwer wogen; pèsent lourd pesait
+bake baking; backzeit backen; cuisson enfourner
+heat heated heating heats; erhitzt aufheizen vorheizen vorgeheizt erwärmt heizung; chauffé chauffage préchauffer préchauffé réchauffé
+mix mixed mixing mixture stirred blended; gemischt vermengen vermengt verrührt mischung untermischen; mélange mélangé mélangez incorporer
+teach teaches taught teaching instruct instructor tutor; lehrt unterrichten unterrichtet unterricht lehrkraft; enseigne enseignement instruire
+vote votes voted voting poll polled; stimmt gestimmt stimmen stimmten votum votieren votierte; votes voté votent suffrage voix
+law laws statutory legislative; gesetze gesetzlich; lois légal législation
+judge judges judged verdict ruling judgment judgement sentenced; richterlich urteilte geurteilt; jugé verdict sentence arrêt
+investigate investigated investigations investigator inquiry; ermittlung ermittlungen ermittelt ermittler; enquête enquêteur
+appoint appoints named designate designated designation; ernannte einsetzung bestellt; nomme nommés désigne désigné
+resign resigned resigns stepped; zurückgetretene trat niederlegen niedergelegt; démissionne démissionné démissionnaire
+succeed successors succeeds followed takes; folgt abgelöst nachrücken; succède successeurs remplaçant
+invest invested investing invests investments; investierte investitionen; investit investis investissements
+expect expects expecting anticipated anticipates forecasts predicts projects projection projections outlook; erwartete vorhersage vorausgesagt voraussichtlich vorhersagen schätzt; attendus prévu prévoir anticiper table tabler prévisionnel
+cause causes causing result resulted resulting led trigger triggered triggers provoke provoked stem stemmed responsible; auslösen ausgelöst auslöste bewirken bewirkt hervorrufen hervorgerufen führte verursachte; causé causée provoquer provoqué provoque entraîner entraîne entraîné engendrer déclencher déclenché
+headquarters headquartered head; hauptquartier firmensitz ansässig; basé basée siège
+locate location lie lying sits stands nestled; standort belegen gelegene liege; situé située trouve emplacement implanté implantée localisé
+treat treats treating cure cured heal healed; heilen geheilt therapieren; traite traités guérir guéri
+injure injuring casualties; verletzte verletzten verwundet; blessés blessures
+kill killing kills slain; tötete getöteten; tués tue
+rescue rescued saving; rettung rettete gerettete; sauvetage sauvé secourir secours
+repeat repeated repeats repeatedly; wiederholt wiederholung; répété répétition
+choose chooses choosing opt opted opts elect elected election selected; gewählte ausgewählt entscheiden wählte entschied; élire élu élue élection choisit opter opté sélectionner sélectionné
+register registers enrol enroll enrollment enrolment subscribe; einschreiben eingeschrieben einschreibung; inscrit inscrite enregistré immatriculer
+inform informs informing notified notification notifies notifying alert alerted advise; benachrichtigt benachrichtigung unterrichten unterrichtung informiert melden anzeigen; notifie notification informe informé avertit prévenir avisé aviser
+measure measures measured measuring; maß messungen vermessen; mesuré mesurée mesurent
+divide divided divides splits split; aufgeteilt geteilten unterteilt; divisé partagé répartir réparti scinder
+combine combined merged merger merges amalgamate amalgamated unite united joint; fusion fusionierte zusammenschluss zusammengeschlossen vereint vereinigt; fusion fusionné réuni unifier
+continue continues continued continuing; fortgeführt fortführen fortführung; poursuit poursuite continué
+return returned returns returning; zurückgekehrt zurückgegeben kehrte; retourné revenu rendre restituer restitution
+visit visits visiting visited; besuchte besuchten besuche; visité visites
+attend attended attending participated participates participant participants; teilnehmer teilnimmt teilnahm; participé participants
+meet meets met meetings convene convened; trafen tagen tagt versammlung sitzungen; réunions rencontré réunit
+promise promised promises pledged pledges undertake undertakes undertaking; verspricht versprochen zusage zugesagt; promis promesse engagement engagé
+criticize criticised criticized criticism; kritisiert kritisierte; critiqué critiques
+propose proposes proposals recommends; schlug vorschläge; propose proposée propositions
+finance finances fundraising bankrolled sponsored; finanzielle finanzieren; finances finance financée
+own owning possessed belongs belonging belong proprietor ownership; besaß inhaber inhaberin eigentümerin gehört gehören gehörte; possédait détenir détient détenu appartenir appartient propriétaire
+move moves moving transfers relocate shift shifted; verlagert verlagerung zog übersiedeln; déménagé déménagement transfert délocaliser
+design designs architect drew drafted conceived; entworfene gestaltet gestaltung architekt architektin; conçu concepteur architecte dessin
+restore restored restoring refurbished refurbishment modernised modernized modernise; restauriert restaurieren restaurierung modernisieren modernisiert modernisierung; restauré restaurée moderniser modernisé modernisation
+enlarge expanded expansion widen widened; ausbau ausgebaut verbreitern verbreitert; élargir élargi élargissement
+decide resolve resolved resolution opt; beschließt beschlossene; décide décidée tranche trancher
+deliver delivers deliveries supplying supply; lieferanten zulieferer anliefern; livre livraisons fournisseurs approvisionner
+operate operates operating; betrieben betreibergesellschaft; exploitée exploitants opérateur opérer
+transport transports carries carrying shipping haul; transportiert befördert beförderte; transporte transporté acheminé
+recommend recommends recommendations advises; empfehlung empfehlungen rate; recommande recommandée préconiser préconise
+warn warns warnings caution; warnte gewarnt warnt; avertit alerter mise
+prepare prepares prepared preparing; vorbereitet bereitet; préparé préparez
+drink drinks drinking; trinkt getränk; boisson boivent
+eat eats eating; isst verzehr verzehrt; mange mangent consommer
+connect connecting connection; anschluss verbunden verbindet; reliée reliant raccorder raccordé
+conquer conquest; einnahme eroberung; conquête prise
+repair repairs repaired; instandsetzung repariert; répare réparer réparations
+fix fixes specify specified specifies stipulated; bestimmt festgelegte festgesetzt; fixée fixe spécifié détermine
+limit limits limited capped restrict restricted restriction; begrenzt begrenzung beschränken beschränkt beschränkung höchstgrenze; limitée limites plafonné restreindre
+frequent regularly recurrent commonly; regelmäßig üblich verbreitet; régulièrement courante fréquente
+reserve reserved reservations booked books; reserviert gebucht buchung; réservé réservée réservations
+contribute contributes contributed; beigesteuert beisteuern trägt; contribue contribué
near nearby adjacent proximity vicinity neighbouring neighboring; nahe nähe benachbart unweit; proche proximité voisin voisine
lend lent lends lending borrow borrowed borrower lender borrowing; leihen verleihen ausleihen ausgeliehen geliehen leihe; prêter prêté emprunter emprunté emprunt emprunteur
learn learned learnt learning; lernen gelernt erlernen; apprendre appris apprentissage
precede preceded predecessor precedes; vorangehen vorgänger vorgängerin; prédécesseur précéder précède
half half-yearly semester; halbjahr halbjährlich; semestre semestriel
quarterly; vierteljährlich quartalsweise; trimestriel trimestrielle
fortnight fortnightly biweekly; zweiwöchig zweiwöchentlich vierzehntägig; quinzaine bimensuel
hourly; stündlich; horaire
minute minutes; minute minuten; minute minutes
individual person persons personal; person personen persönlich; personne personnes
woman lady ladies; dame damen; dame
girl girls; mädchen; fille
son sons; sohn söhne; fils
daughter daughters; tochter; fille
brother brothers sibling; bruder brüder; frère
sister sisters; schwester; sœur
marry married wed marriage wedding spouse; heiraten verheiratet heirat ehe hochzeit; épouser marié mariage
divorce divorced; scheidung geschieden; divorce divorcé
retire retired retirement pension pensioner; rente ruhestand pensioniert rentner pension; retraite retraité
elderly senior seniors; senioren ältere; âgé aîné
mayor; bürgermeister bürgermeisterin oberbürgermeister; maire
minister secretary; minister ministerin; ministre
president presidency; präsident präsidentin präsidentschaft; président présidente présidence
chairman chairwoman chairperson; vorsitzender vorsitzende vorsitz; président
director executive ceo; direktor direktorin geschäftsführer geschäftsführerin vorstand; directeur directrice
spokesman spokesperson spokeswoman; sprecher sprecherin; porte parole
government administration cabinet; regierung kabinett verwaltung; gouvernement administration
authority agency regulator body; behörde amt; autorité agence administration
police officers; polizei polizist; police policier
army troops military forces soldiers; armee truppen militär soldaten heer; armée troupes soldats
lawyer attorney solicitor counsel; anwalt anwältin rechtsanwalt; avocat avocate
accuse accused charged allegation alleged; beschuldigen beschuldigt vorwurf angeklagt; accuser accusé accusation
convict convicted guilty conviction; verurteilen verurteilt verurteilung schuldig; condamner condamné coupable condamnation
prison jail imprisonment; gefängnis haft freiheitsstrafe; prison détention
appeal appealed; berufung einspruch revision widerspruch; appel recours
breach violate violated violation infringe infringement; verletzung verstoß verstoßen verstößt; violation violer violé infraction manquement
comply complies compliance adhere observe conform; einhalten eingehalten einhaltung befolgen; respecter respect conformer conformité
confidential secret secrecy confidentiality; vertraulich vertraulichkeit geheim; confidentiel confidentialité secret
renew renewal renewed prolong prolonged prolongation; verlängern verlängert verlängerung; renouveler renouvelé renouvellement prolonger prolongé prolongation
sign signed signature signing signatory; unterzeichnen unterzeichnet unterzeichnung unterschreiben unterschrieben unterschrift; signer signé signature
written writing paper; schriftlich schriftform; écrit
refund refunded reimburse reimbursement; erstatten erstattet erstattung rückerstattung; rembourser remboursé remboursement
discount rebate reduction; rabatt nachlass ermäßigung ermäßigt; remise rabais
bankrupt bankruptcy insolvent insolvency; insolvenz insolvent pleite; faillite insolvable
budget; haushalt etat budget; budget
amount sum total quantity; betrag summe menge; montant somme quantité
margin; marge; marge
rate; satz quote; taux
percent; prozent; pourcent
bonus premium; bonus prämie; prime
benefit advantage; vorteil nutzen; avantage atout
drawback disadvantage; nachteil; inconvénient désavantage
training trained course instruction; schulung ausbildung lehrgang kurs fortbildung geschult; formation formé stage
qualification qualified degree diploma; qualifikation abschluss qualifiziert; diplôme qualification
experience experienced; erfahrung erfahren; expérience expérimenté
task job assignment; aufgabe auftrag; tâche mission
schedule timetable; zeitplan fahrplan; calendrier horaire
absent absence; abwesend abwesenheit fehlen; absent absence
present presence attended; anwesend anwesenheit; présent présence
wait waiting; warten wartezeit; attendre attente
hide hidden conceal concealed; verbergen verborgen verstecken; cacher caché dissimuler
search seek sought look; suchen suche gesucht; chercher recherche recherché
lift elevator; aufzug fahrstuhl; ascenseur
road street highway; straße; rue route
path trail track; weg pfad; chemin sentier
ship vessel boat; schiff boot; navire bateau
aircraft airplane plane; flugzeug; avion
flight fly flown flew; flug fliegen geflogen flog; vol voler
airport airfield; flughafen flugplatz; aéroport
harbour harbor port; hafen; port
bus coach; bus; bus autocar car
tunnel; tunnel; tunnel
coast shore coastline seaside; küste ufer strand; côte rivage littoral
tree trees; baum bäume; arbre
horse horses; pferd pferde; cheval chevaux
food meal; essen mahlzeit nahrung lebensmittel; nourriture repas aliment
flour; mehl; farine
salt salty; salz; sel
sugar; zucker; sucre
milk dairy; milch; lait
oven; ofen backofen; four
pan pot saucepan; topf pfanne; casserole poêle
bowl; schüssel; bol saladier
fridge refrigerator refrigerate chill chilled cool cooled; kühlschrank kühlen gekühlt abkühlen; réfrigérateur frigo réfrigérer refroidir
freeze frozen freezer; gefrieren gefroren einfrieren; congeler congelé geler
stir whisk; umrühren; fouetter
pour poured; gießen gegossen schütten; verser
cut slice sliced chop chopped; schneiden geschnitten; couper coupé tranche
dry dried; trocken trocknen getrocknet; sec sécher séché
wet moist damp humid moisture humidity; nass feucht feuchtigkeit; humide humidité mouillé
hot heat; heiß; chaud chaleur
cold coldest; kalt kälte; froid
sun solar sunlight; sonne solar; soleil solaire
wind windy; wind; vent éolien
weather climate; wetter klima; météo climat
level height; höhe; niveau hauteur
depth deep; tiefe; profondeur profond
length; länge; longueur
width wide; breite breit; largeur large
volume capacity; volumen kapazität fassungsvermögen; volume capacité
pressure; druck; pression
light lamp; licht lampe leuchte; lumière lampe
colour color; farbe; couleur
empty emptied vacant; leer geleert; vide vider
full filled fill; voll gefüllt füllen; plein rempli remplir
broken break; kaputt gebrochen; cassé
carefully caution careful; vorsichtig vorsicht sorgfältig; prudent prudence soigneusement
child-resistant infant baby toddler; säugling baby kleinkind; nourrisson bébé
pain ache; schmerz schmerzen; douleur
fever; fieber; fièvre
cough; husten; toux
nausea vomiting vomit; übelkeit erbrechen; nausée vomissement
rash itching itch; ausschlag juckreiz; éruption démangeaison
allergy allergic hypersensitive hypersensitivity; allergie allergisch überempfindlich überempfindlichkeit; allergie allergique hypersensibilité
blood; blut; sang
heart cardiac; herz; cœur cardiaque
kidney renal; niere nieren; rein rénal rénale
liver hepatic; leber; foie hépatique
skin; haut; peau
eye eyes; auge augen; œil yeux
alcohol alcoholic; alkohol; alcool
pharmacist pharmacy chemist; apotheker apotheke; pharmacien pharmacie
prescription; rezept verschreibung verschreibungspflichtig; ordonnance prescription
vaccine vaccination vaccinated; impfstoff impfung geimpft; vaccin vaccination vacciné
surgery operated surgical; operation operiert chirurgisch; opération chirurgie opéré
nurse nurses; pfleger pflegerin krankenschwester; infirmier infirmière
page site website; seite webseite website; page site
file folder directory; ordner verzeichnis; dossier répertoire
download downloaded; herunterladen download heruntergeladen; télécharger téléchargement
upload uploaded; hochladen hochgeladen; téléverser
compatible compatibility; kompatibel kompatibilität; compatible compatibilité
account profile; konto benutzerkonto; compte profil
message notification; nachricht meldung; message
screen display monitor; bildschirm anzeige; écran affichage
query lookup; abfrage; requête
database; datenbank; base données
deprecated obsolete outdated; veraltet überholt; obsolète déprécié
automatic automatically; automatisch selbsttätig; automatique automatiquement
manual manually hand; manuell; manuel manuellement
instruction instructions guide handbook; anleitung gebrauchsanweisung handbuch; notice mode instructions
article item; artikel gegenstand; article objet
book volume; buch; livre
newspaper press journal; zeitung presse; journal presse
film movie; film; film
song music musical; lied musik; chanson musique
theatre theater stage; theater bühne; théâtre scène
exhibition exhibit display; ausstellung ausgestellt; exposition exposé
statue sculpture monument memorial; statue denkmal skulptur; statue sculpture monument
language tongue; sprache; langue
history historical historic; geschichte historisch; histoire historique
siege besieged; belagerung belagert; siège assiégé
victim victims; opfer; victime victimes
survive survived survivor; überleben überlebt; survivre survivant
member membership; mitglied mitgliedschaft mitglieder; membre adhérent adhésion
association society club organisation; verein verband; association
volunteer volunteers; freiwillige ehrenamtlich ehrenamtliche; bénévole bénévoles
neighbour neighbor neighbours; nachbar nachbarn; voisin voisins
guest guests; gast gäste; hôte invité
hotel inn; hotel gasthof; hôtel auberge
room chamber; zimmer raum; chambre pièce salle
floor storey story; stock etage stockwerk geschoss; étage
roof; dach; toit toiture
door gate; tür tor; porte
window; fenster; fenêtre
wooden timber; holz hölzern; bois
iron steel; eisen stahl; fer acier
coal; kohle; charbon
oil petroleum; öl erdöl; huile pétrole
waste garbage rubbish; abfall müll; déchet déchets ordures
recycle recycled recycling; recycling wiederverwerten; recycler recyclage
species; art arten; espèce espèces
researcher scientist; forscher forscherin wissenschaftler wissenschaftlerin; chercheur chercheuse scientifique
university college; universität hochschule; université faculté
method technique approach procedure process; methode verfahren vorgehen; méthode procédé procédure
sample specimen; probe stichprobe; échantillon
test tested trial experiment; test getestet versuch experiment; essai test testé expérience
penalty; elfmeter strafstoß; penalty tirs
substitute substituted; einwechseln eingewechselt; remplaçant
referee umpire; schiedsrichter; arbitre
medal; medaille; médaille
opponent rival; gegner rivale; adversaire rival
debut; debüt; débuts
`
