package support

// wordLists are the words with roles, in English, German and French.
var wordLists = map[wordClass][languages]string{
	classStop: {
		`a an the this that these those and or but nor if then than so as because while until unless although though whether
		of at by for with about against between into through to from in on upon onto within per via during over under across among around
		i me my mine we us our ours you your yours he him his she her hers it its they them their theirs itself themselves himself herself
		am is are was were be been being have has had having do does did doing done will would shall should can could may might must cannot
		not no never without neither none there here too very just also such both either own who whom whose which what when where why how
		etc eg ie any some each every all more most other another out up off down again once yet still now only even well much many
		however therefore thus hence moreover furthermore according above below before after since although let able both et al
		several various same own one s t d ll re ve m further rather quite ever`,
		`der die das dem den des ein eine einen einem einer eines und oder aber denn sondern sowie wenn falls dass weil obwohl während ob als wie
		von vom zu zum zur im in am an auf aus bei beim mit nach seit über unter vor hinter neben zwischen durch für gegen um bis ab
		ich mich mir mein meine meinen wir uns unser unsere unseren du dich dir dein ihr ihre ihren ihrem ihrer ihres er ihn ihm sein seine seinen
		seinem seiner seines sie es sich man ist sind war waren sei seien wird werden wurde wurden worden werde würde würden haben habe hat hatte hatten
		kann können konnte konnten könnte muss müssen musste mussten soll sollen sollte sollten darf dürfen durfte will wollen wollte mag möchte
		nicht kein keine keinen keinem keiner keines nie niemals ohne weder noch auch nur schon sehr hier dort da dann doch ja nein so
		dieser diese dieses diesen diesem jener jene jenes welche welcher welches wer wen wem wessen wann wo woher wohin warum
		bzw usw jedoch dabei damit dazu daher darüber davon dafür dadurch deren dessen zudem außerdem sowohl ins ans aufs vors
		alle allen alles aller jede jeder jedes jeden jedem mehr viele vielen viel einige einigen etwa rund circa ca laut gemäß wegen trotz innerhalb pro je
		hin her ganz etwas bereits immer selbst zwar etwaige beide beiden beim worin wobei`,
		`le la les l un une des du de d à au aux et ou mais donc or ni car que qu qui quoi dont où ce cet cette ces c cela ça
		je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y en mon ma mes ton ta tes son sa ses notre nos votre vos
		est sont était étaient été être fut furent sera seront serait soit a ont avait avaient avoir eu aura auront aurait ai as avons avez
		dans par pour sur sous avec sans entre vers chez depuis pendant après avant selon contre dès jusque jusqu lors lorsque lorsqu
		ne n pas plus non jamais aucun aucune rien guère aussi très bien tout toute tous toutes même mêmes autre autres comme si quand comment
		peut peuvent pouvait doit doivent devait fait faire afin ainsi alors cependant toutefois néanmoins puis puisque parce encore déjà
		plusieurs certains certaines chaque quelque quelques moins trop peu environ celui celle ceux celles lequel laquelle parmi`,
	},
	classGeneric: {
		`say says said state states stated report reports reported note notes noted announce announced show shows showed shown indicate indicates
		indicated according mention mentions mentioned describe described explain explained confirm confirmed include includes including included
		make makes made get gets got take takes took taken give gives given new first total overall year years time times company
		people person thing things way part level number amount result results data information source document section total respectively
		came come comes amount amounts amounted totalled totaled stood stand stands reach reached reaches belong remain remains located called
		currently recently approximately roughly nearly almost around exactly particularly especially generally usually typically often mainly primarily`,
		`sagt sagte sagen teilt teilte mit mitgeteilt berichtet berichtete meldet meldete gab gibt geben erklärt erklärte betont betonte laut angaben
		insgesamt jahr jahre jahren jahres zeit mal unternehmen teil ergebnis ergebnisse daten information angabe dokument abschnitt neue neuen neuer neues
		beläuft belief erreicht erreichte erreichen bleibt bleiben blieb gehört machen macht gemacht liegt lag liegen beträgt betrug betragen derzeit zurzeit aktuell etwa ungefähr nahezu fast knapp genau insbesondere vor allem meist`,
		`dit disait déclare déclaré indique indiqué annonce annoncé rapporte rapporté précise précisé affirme affirmé explique expliqué selon
		année années an ans fois temps entreprise société partie résultat résultats données information document section nouveau nouvelle nouveaux
		atteint atteindre atteignait élève élevait reste rester demeure compte
		total actuellement récemment environ près presque notamment surtout généralement souvent principalement exactement`,
	},
	classNegator: {
		`not no never neither nor none cannot nobody nothing nowhere hardly scarcely barely dont doesnt didnt isnt arent wasnt werent wont cant couldnt shouldnt`,
		`nicht kein keine keinen keinem keiner keines keinerlei nie niemals nimmer weder niemand niemanden niemandem nichts nirgends kaum keinesfalls keineswegs`,
		`pas jamais aucun aucune rien guère ni nul nulle nullement aucunement`,
	},
	classWithout: {`without except excluding instead`, `ohne außer ausgenommen statt anstatt`, `sans sauf excepté hormis`},
	classFail: {
		`fail fails failed failing refuse refuses refused unable`, `versäumte versäumt versäumten`, `incapable omet omis`,
	},
	classVerb: {
		`is are was were has have had does do did can could will would may might must should`, `ist sind war waren wird werden wurde wurden hat haben hatte hatten kann können darf dürfen muss müssen soll sollen`,
		`est sont était étaient a ont avait avaient ne n peut peuvent doit doivent sera seront`,
	},
	classPronoun: {
		`he she they it his her their its him them who`, `er sie es ihr ihre ihren ihm ihn sein seine seinen dieser diese dieses`, `il elle ils elles son sa ses leur leurs lui celui celle`,
	},
	classNeNegator: {``, ``, `plus personne`},
	classNe:        {``, ``, `ne n`},
	classOnly: {
		`only just merely solely`, `nur bloß lediglich ausschließlich allein`, `seulement uniquement simplement que qu`,
	},
	classHedge: {
		`about around approximately roughly nearly almost circa ca approx some over under estimated`,
		`etwa rund circa ca ungefähr knapp fast nahezu gut annähernd zirka gegen`,
		`environ près presque quelque approximativement autour`,
	},
	classTitle: {
		`mr mrs ms miss dr prof professor sir lady lord president minister chancellor senator governor mayor king queen prince princess judge general
		captain colonel ceo cfo cto chairman chairwoman director founder chief author doctor architect engineer coach
		goalkeeper striker midfielder defender skipper pilot astronaut commander bishop pope emperor duke baron countess duchess archbishop abbot saint
		sculptor painter composer conductor poet novelist historian biologist physicist chemist geologist glaciologist botanist journalist photographer
		lawyer attorney spokesman spokeswoman treasurer secretary deputy councillor inspector sergeant lieutenant admiral commissioner ambassador`,
		`herr herrn frau dr prof professor professorin präsident präsidentin minister ministerin kanzler kanzlerin bundeskanzler bundeskanzlerin
		bürgermeister bürgermeisterin oberbürgermeister oberbürgermeisterin direktor direktorin könig königin autor autorin
		chef chefin vorstandschef vorstandschefin geschäftsführer geschäftsführerin vorsitzender vorsitzende vorsitzenden leiter leiterin gründer gründerin
		sprecher sprecherin richter richterin trainer trainerin architekt architektin firma stadt dorf fluss insel
		kapitän kapitänin torwart torhüter torhüterin stürmer stürmerin verteidiger läufer läuferin bischof papst kaiser kaiserin herzog herzogin großherzog großherzogin graf gräfin fürst fürstin abt
		bildhauer bildhauerin maler malerin komponist komponistin dirigent dirigentin dichter historiker historikerin forscher forscherin professoren biologe biologin
		physiker physikerin geologe geologin meteorologe meteorologin anwalt anwältin staatssekretär staatssekretärin landrat landrätin stadtrat senator senatorin
		kommandant kommandantin admiral oberst major botschafter intendant intendantin dekan rektor rektorin pfarrer pfarrerin kassenwart ingenieur ingenieurin
		hauptstadt gemeinde ortsteil stadtteil landkreis kanton brauerei kelterei weberei werft verlag büro bank sparkasse supermarktkette tochter lieferant zulieferer hersteller raumsonde`,
		`m mme mlle monsieur madame dr docteur pr professeur président présidente ministre maire roi reine directeur directrice juge auteur
		capitaine gardien attaquant défenseur entraîneur entraîneuse évêque archevêque pape empereur impératrice duc duchesse comte comtesse baron abbé saint
		sculpteur sculptrice peintre compositeur compositrice poète historien historienne chercheur chercheuse biologiste physicien physicienne géologue glaciologue
		architecte ingénieur ingénieure avocat avocate sénateur sénatrice préfet préfète député députée trésorier trésorière secrétaire
		commandant général amiral ambassadeur ambassadrice astronaute fondateur fondatrice`,
	},
	classBreak: {
		`but while whereas although though however yet because`,
		`aber sondern während obwohl jedoch hingegen doch wohingegen weil denn`,
		`mais tandis alors cependant quoique toutefois car parce puisque`,
	},
	classCondition: {
		`if unless except until provided only when assuming excluding however but`,
		`wenn falls sofern außer soweit solange ausgenommen bis nur jedoch aber`,
		`si sauf excepté hormis jusqu sinon uniquement lorsque mais toutefois`,
	},
	classBy: {`by`, `von vom durch`, `par`},
	classArticle: {``, `der die das dem den des ein eine einen einem einer eines kein keine keinen keinem keiner keines dieser diese dieses diesen diesem
		jeder jede jedes jeden jedem im am zum zur beim vom ins ans seine seinen seinem seiner seines sein ihr ihre ihren ihrem ihrer ihres unser unsere
		unseren unserem unserer mein meine alle allen aller viele vielen einige einigen mehrere mehreren mehr welche welcher beide beiden solche`, ``},
	classPreposition: {`in at from near of to by with for on against before after under between`, `in aus nach bei von mit für gegen durch an bis über um`, `à en de par avec chez pour vers`},
	classRange:       {`to through`, `bis`, `à jusqu`},
	classAnd:         {`and or`, `und oder`, `et ou`},
	classQuarter:     {`quarter`, `quartal quartals viertel`, `trimestre`},
	classAbbreviation: {
		`dr mr mrs ms prof st jr sr vs fig figs no nos vol pp ch sec eq approx ca cf eg ie jan feb mar apr jun jul aug sep sept oct nov dec est dept gen gov sen rep`,
		`dr prof nr nrn abs art bzw ca ggf inkl evtl str tel mio mrd tsd hrsg vgl geb jan feb mär apr jun jul aug sep sept okt nov dez zb dh ua st abb tab`,
		`dr m mm mme mlle pr no vol art env ex fig cf av ap janv févr avr juil sept oct nov déc etc st ste`,
	},
	classKnown: {
		`i monday tuesday wednesday thursday friday saturday sunday internet web table figure chapter section article appendix page note
		today yesterday tomorrow currently overall additionally finally later earlier meanwhile instead similarly specifically
		researchers scientists experts officials critics analysts customers employees users patients students workers people
		revenue sales profit profits costs results net total average most many several some half`, ``,
		`internet aujourd hui hier demain`,
	},
	classPlace: {places, places, places},
}

// places and given names: in German, where every noun has a capital, they are names
// in any position.
const places = `europe europa asia asien afrika africa america amerika australia australien germany deutschland france frankreich italy italien spain spanien
	portugal england britain großbritannien ireland irland scotland schottland wales poland polen austria österreich switzerland schweiz belgium belgien
	netherlands niederlande denmark dänemark sweden schweden norway norwegen finland finnland iceland island greece griechenland turkey türkei russia russland
	ukraine romania rumänien hungary ungarn czechia tschechien slovakia slowakei slovenia slowenien croatia kroatien serbia serbien bulgaria bulgarien china japan
	korea india indien pakistan indonesia indonesien thailand vietnam malaysia singapore singapur israel iran irak iraq egypt ägypten morocco marokko nigeria kenya kenia
	canada kanada mexico mexiko brazil brasilien argentina argentinien chile peru kolumbien colombia usa uk eu
	berlin hamburg münchen munich köln cologne frankfurt stuttgart düsseldorf dortmund essen leipzig dresden bremen hannover nürnberg bonn augsburg freiburg mannheim
	karlsruhe heidelberg potsdam rostock kiel lübeck erfurt mainz kassel münster ulm jena wien vienna graz linz salzburg innsbruck zürich zurich bern basel genf geneva genève
	luzern lausanne london paris lyon marseille toulouse nice nantes strasbourg straßburg montpellier bordeaux lille rennes grenoble dijon brüssel brussels bruxelles antwerpen
	amsterdam rotterdam kopenhagen copenhagen stockholm oslo helsinki warschau warsaw krakau prag prague budapest rom rome milan mailand turin venedig madrid barcelona lissabon
	lisbon athen athens istanbul moskau moscow kiew kyiv dublin manchester liverpool birmingham glasgow edinburgh bristol leeds boston chicago seattle houston dallas denver
	toronto montreal vancouver sydney melbourne tokyo tokio peking beijing shanghai delhi mumbai kairo cairo nairobi
	konstanz koblenz bregenz mainz florenz göttingen tübingen reutlingen esslingen solingen ludwigshafen braunschweig magdeburg chemnitz halle wuppertal bielefeld bochum
	duisburg regensburg würzburg passau bamberg oldenburg osnabrück schwerin weimar trier saarbrücken flensburg göteborg gothenburg malmö bergen
	bayern sachsen hessen thüringen brandenburg niedersachsen saarland bretagne normandie provence rhein donau elbe seine loire rhone themse
	anna maria peter thomas michael andreas stefan martin klaus jürgen wolfgang hans karl heinz werner walter helmut günter manfred dieter uwe frank
	sabine petra monika susanne claudia karin birgit andrea stefanie julia laura lena lisa sarah katharina christina markus christian daniel sebastian
	alexander tobias florian matthias jan lukas jonas felix maximilian paul leon max felix moritz emma mia sophie marie luise clara johanna helene
	jean pierre michel philippe alain jacques claire sylvie isabelle nathalie camille louis antoine nicolas julien françois
	john james robert david william richard charles joseph george edward mary jennifer linda elizabeth susan karen nancy emily alice bob
	müller schmidt schneider fischer weber meyer wagner becker schulz hoffmann koch bauer richter klein wolf schröder neumann schwarz zimmermann braun krüger hofmann hartmann
	siemens bosch bmw volkswagen daimler mercedes audi porsche sap bayer basf allianz lufthansa telekom microsoft google apple amazon meta tesla intel ibm airbus boeing`

// valueLists are the words that express a number.
var valueLists = map[wordClass][languages]string{
	classNumeral: {
		`zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 thirteen=13 fourteen=14 fifteen=15 sixteen=16
		seventeen=17 eighteen=18 nineteen=19 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90 dozen=12 twice=2 thrice=3`,
		`null=0 eins=1 zwei=2 zweier=2 drei=3 dreier=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12 dutzend=12 zweimal=2 dreimal=3 viermal=4`,
		`zéro=0 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12 treize=13 quatorze=14 quinze=15 seize=16
		vingt=20 vingts=20 trente=30 quarante=40 cinquante=50 soixante=60 septante=70 huitante=80 octante=80 nonante=90 douzaine=12`,
	},
	classScale: {
		`hundred=1e2 hundreds=1e2 thousand=1e3 thousands=1e3 k=1e3 million=1e6 millions=1e6 mn=1e6 mio=1e6 mm=1e6 billion=1e9 billions=1e9 bn=1e9 b=1e9 bln=1e9 trillion=1e12 trillions=1e12 tn=1e12`,
		`hundert=1e2 hunderte=1e2 tausend=1e3 tausende=1e3 tsd=1e3 k=1e3 million=1e6 millionen=1e6 mio=1e6 milliarde=1e9 milliarden=1e9 mrd=1e9 billion=1e12 billionen=1e12 bio=1e12`,
		`cent=1e2 cents=1e2 mille=1e3 milliers=1e3 k=1e3 million=1e6 millions=1e6 milliard=1e9 milliards=1e9 md=1e9 mds=1e9 mrd=1e9 billion=1e12 billions=1e12`,
	},
	classOrdinal: {
		`first=1 second=2 third=3 fourth=4 fifth=5 sixth=6 seventh=7 eighth=8 ninth=9 tenth=10 eleventh=11 twelfth=12 thirteenth=13 fourteenth=14 fifteenth=15
		sixteenth=16 seventeenth=17 eighteenth=18 nineteenth=19 twentieth=20 thirtieth=30`,
		`erste=1 ersten=1 erster=1 erstes=1 erstem=1 zweite=2 zweiten=2 zweiter=2 zweites=2 dritte=3 dritten=3 dritter=3 drittes=3 vierte=4 vierten=4 vierter=4 viertes=4
		fünfte=5 fünften=5 fünfter=5 sechste=6 sechsten=6 sechster=6 siebte=7 siebten=7 siebter=7 achte=8 achten=8 achter=8 neunte=9 neunten=9 neunter=9
		zehnte=10 zehnten=10 zehnter=10 elfte=11 elften=11 zwölfte=12 zwölften=12`,
		`premier=1 première=1 premiers=1 premières=1 second=2 seconde=2 deuxième=2 troisième=3 quatrième=4 cinquième=5 sixième=6 septième=7 huitième=8 neuvième=9 dixième=10
		onzième=11 douzième=12`,
	},
	classFraction: {
		`half=.5 halves=.5 quarter=.25 quarters=.25 third=.33333 thirds=.33333`,
		`hälfte=.5 halb=.5 halbe=.5 halben=.5 halbes=.5 halber=.5 viertel=.25 drittel=.33333 fünftel=.2 zehntel=.1`,
		`moitié=.5 demi=.5 demie=.5 quart=.25 quarts=.25 tiers=.33333 cinquième=.2 dixième=.1`,
	},
	classMonth: {
		`january=1 february=2 march=3 april=4 may=5 june=6 july=7 august=8 september=9 october=10 november=11 december=12
		jan=1 feb=2 mar=3 apr=4 jun=6 jul=7 aug=8 sep=9 sept=9 oct=10 nov=11 dec=12`,
		`januar=1 jänner=1 februar=2 feber=2 märz=3 april=4 mai=5 juni=6 juli=7 august=8 september=9 oktober=10 november=11 dezember=12
		jan=1 feb=2 mär=3 mrz=3 apr=4 jun=6 jul=7 aug=8 sep=9 sept=9 okt=10 nov=11 dez=12`,
		`janvier=1 février=2 mars=3 avril=4 mai=5 juin=6 juillet=7 août=8 septembre=9 octobre=10 novembre=11 décembre=12 janv=1 févr=2 avr=4 juil=7 sept=9 oct=10 nov=11 déc=12`,
	},
	classWeekday: {
		`monday=1 tuesday=2 wednesday=3 thursday=4 friday=5 saturday=6 sunday=7 mondays=1 tuesdays=2 wednesdays=3 thursdays=4 fridays=5 saturdays=6 sundays=7`,
		`montag=1 dienstag=2 mittwoch=3 donnerstag=4 freitag=5 samstag=6 sonnabend=6 sonntag=7 montags=1 dienstags=2 mittwochs=3 donnerstags=4 freitags=5 samstags=6 sonntags=7`,
		`lundi=1 mardi=2 mercredi=3 jeudi=4 vendredi=5 samedi=6 dimanche=7`,
	},
}
