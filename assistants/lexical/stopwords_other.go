package lexical

// frenchFunction are the French words that carry no subject, folded. So are the
// words of the lists below in their languages.
var frenchFunction = set(`
l d j n s c m t qu jusqu lorsqu puisqu quoiqu
le la les un une des du de au aux ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs
je tu il elle on nous vous ils elles me te se moi toi lui eux y en soi
et ou mais donc or ni car si que qui quoi dont lorsque puisque quoique comme quand
a dans par pour sans sous sur vers avec chez contre depuis des entre jusque pendant selon parmi lors afin ainsi
est es suis sommes etes sont etait etaient etre ete ai as avons avez ont avait avaient avoir aura auront soit soient sera seront serait
ne pas plus tres trop aussi meme memes tout toute tous toutes cela ca ceci celui celle ceux celles
quel quelle quels quelles lequel laquelle lesquels lesquelles comment combien pourquoi
puis peux peut peuvent peuton pouvez pouvons pourrait pourrai doit doivent dois devons devez devrait faut faudrait
fait fais font faire faisons dit
`)

var frenchAsking = set(`
ici la alors encore deja toujours jamais peu bien fois chaque aucun aucune autre autres certains certaines plusieurs
moins beaucoup assez apres avant puisje estce
donne donner dire disent indique indiquer explique expliquer montre montrer signifie veut veux vouloir voulez
besoin sert servir possible permis autorise existe trouve trouver savoir sais sait connaitre
merci bonjour svp quelque quelques chose choses maniere facon
va vais vont aller arrive passe passer met mettre mets mettant
`)

var italianFunction = set(`
l d un dell all nell sull dall coll quell quest c m t s v
il lo la i gli le un uno una del dello della dei degli delle dell al allo alla ai agli alle nel nello nella nei negli nelle
dal dallo dalla dai dagli dalle sul sullo sulla sui sugli sulle col coi
di a da in con su per tra fra e ed o od ma se che chi cui non ne ci vi si mi ti anche pure perche quando dove come
io tu lui lei noi voi loro me te esso essa essi esse mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra vostri vostre
questo questa questi queste quello quella quelli quelle cio
sono sei e siamo siete era erano essere stato stata stati state sia siano sara saranno sarebbe ho hai ha abbiamo avete hanno aveva avere avra abbia
quale quali qual quanto quanta quanti quante cosa cos
posso puoi puo possiamo possono potere potrebbe potrei devo devi deve dobbiamo dovete devono dovrebbe
piu meno molto poco tutto tutta tutti tutte senza
`)

var italianAsking = set(`
ogni altro altra altri altre stesso stessa ancora gia sempre mai solo soltanto bene allora adesso ora qui qua li volta volte prima dopo
faccio fai fa facciamo fanno fare fatto faccia va vado andare viene vengono venire
voglio vuoi vuole vogliono vorrei serve servono bisogna occorre basta esiste esistono trova trovo trovare
dire dice dicono dimmi significa spiega spiegare mostra mostrare sapere so sapete permesso possibile
grazie ciao modo maniera qualche qualcosa qualcuno nessuno
`)

var spanishFunction = set(`
el la los las un una unos unas lo al del de a ante bajo con contra desde durante en entre hacia hasta para por segun sin sobre tras
y e o u ni que si pero mas aunque como cuando donde porque pues
yo tu usted ustedes el ella ello nosotros vosotros ellos ellas me te se nos os le les mi mis tu tus su sus nuestro nuestra nuestros nuestras
este esta estos estas ese esa esos esas aquel aquella esto eso aquello
es son soy eres somos era eran ser sido sea sean sera fue fueron estoy estan estamos estar estaba he ha han hemos habia haber hay habra
no muy tambien ya cual cuales cuanto cuanta cuantos cuantas quien quienes cuyo
puedo puedes puede podemos pueden poder podria debo debe debemos deben deberia tengo tiene tienen tener
todo toda todos todas
`)

var spanishAsking = set(`
cada otro otra otros otras mismo misma solo siempre nunca ahora aqui alli antes despues vez veces mucho mucha muchos muchas poco menos bien entonces
hago hace hacen hacer hecho va voy van ir quiero quiere quieren querer necesito necesita existe encuentra encontrar
decir dice digame significa explica explicar muestra mostrar saber permitido posible
gracias hola favor forma manera algo alguien algun alguna nada
`)

var portugueseFunction = set(`
o a os as um uma uns umas do da dos das no na nos nas ao aos pelo pela pelos pelas num numa
de em por para com sem sob sobre entre ate desde contra e ou mas que se nem como quando onde porque pois
eu tu voce voces ele ela eles elas nos me te lhe lhes meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas
este esta estes estas esse essa esses essas aquele aquela isto isso aquilo
e sao sou somos era eram ser sido seja sera foi foram estou esta estao estar estava ha tem tenho temos ter tinha havia
nao muito tambem ja qual quais quanto quanta quantos quantas quem cujo
posso pode podemos podem poder poderia devo deve devemos devem deveria
todo toda todos todas
`)

var portugueseAsking = set(`
cada outro outra outros outras mesmo mesma so sempre nunca agora aqui ali antes depois vez vezes muita muitos muitas pouco mais menos bem entao
faco faz fazem fazer feito vai vou vao ir quero quer querem preciso precisa existe encontra encontrar
dizer diz significa explica explicar mostra mostrar saber permitido possivel
obrigado obrigada ola favor forma maneira algo alguem algum alguma nada
`)

var dutchFunction = set(`
de het een en of maar want dat die dit deze te ten ter van voor met op in aan bij door om uit over naar tot tegen onder tussen na zonder sinds tijdens
ik jij je u hij zij ze wij we jullie hen hun hem haar mij me mijn jouw uw zijn onze ons zich er
is bent ben was waren worden wordt werd werden geworden heb hebt heeft hebben had hadden
niet geen ook nog al als dan toen zo wel er hier daar waar wie wat welke welk wanneer hoe waarom hoeveel
kan kunt kunnen kon mag mogen moet moeten zal zullen zou zouden wil wilt willen
`)

var dutchAsking = set(`
veel lang vaak altijd nooit alle alles elk elke ieder iedere andere ander zelf alleen eerst daarna nu soms keer
krijg krijgt krijgen geef geeft geven doe doet doen gedaan maak maakt maken ga gaat gaan nodig bestaat vind vinden
zeg zeggen betekent uitleggen tonen weten toegestaan mogelijk
dank bedankt hallo graag iets iemand niets manier
`)
