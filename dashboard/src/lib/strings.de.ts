import type { Strings } from "./strings";

const plural = (n: number, one: string, many: string): string => `${n.toLocaleString("de")} ${n === 1 ? one : many}`;

export const de: Strings = {
  app: "Footnote",
  skip: "Zum Inhalt",
  nav: {
    assistants: "Assistenten", welcome: "Erste Schritte", chat: "Chat", documents: "Dokumente", settings: "Einstellungen", connect: "Verbinden", admin: "Server", menu: "Menü",
    signOut: "Abmelden", theme: "Hell oder dunkel", api: "API",
  },
  signIn: {
    title: "Anmelden", text: "Fügen Sie einen Schlüssel dieses Servers ein. Der erste Start hat einen ausgegeben.", key: "Schlüssel", keep: "Auf diesem Rechner angemeldet bleiben",
    go: "Anmelden", refused: "Der Server kennt diesen Schlüssel nicht, oder er ist abgelaufen.",
  },
  common: {
    retry: "Noch einmal", close: "Schließen", copy: "Kopieren", copied: "Kopiert", save: "Speichern", undo: "Rückgängig", remove: "Löschen", open: "Öffnen",
    loading: "Wird geladen", notFound: "Hier ist nichts", notFoundText: "Es wurde gelöscht, oder Ihr Schlüssel darf es nicht sehen.",
  },
  problem: {
    unreachable: "Der Server antwortet nicht", unreachableText: "Nichts ging verloren. Es wird erneut versucht, sobald Sie es wünschen.",
    forbidden: "Ihr Schlüssel darf das nicht sehen", forbiddenText: "Melden Sie sich mit einem Schlüssel an, der admin darf.",
    interrupted: "Die Antwort endete zu früh", interruptedText: "Was angekommen ist, steht oben. Fragen Sie erneut, um alles zu erhalten.", failed: "Das ging nicht", request: "Anfrage",
  },
  assistants: {
    make: "Neuer Assistent", name: "Name", makeText: "Er antwortet aus den Dokumenten, die Sie ihm geben.", empty: "Noch kein Assistent",
    emptyText: "Ein Assistent ist eine Menge von Dokumenten mit einem Namen. Legen Sie einen an und ziehen Sie Ihre Dokumente darauf.",
    documents: (n) => plural(n, "Dokument", "Dokumente"), failed: (n) => plural(n, "Dokument war nicht lesbar", "Dokumente waren nicht lesbar"),
    busy: (n) => plural(n, "Dokument wird gelesen", "Dokumente werden gelesen"), noCitations: "Quellenangaben sind aus", sample: "Beispiel",
  },
  welcome: {
    title: "Erste Schritte", intro: "Drei Schritte, in beliebiger Reihenfolge.", ask: "Den Beispiel-Assistenten fragen", askText: "Er kennt ein Mitarbeiterhandbuch. Seine Antwort zeigt, woher jeder Satz stammt.",
    question: "How many vacation days do I get?", askIt: "Das fragen", noSample: "Dieser Server wurde ohne das Beispiel gestartet. Beginnen Sie mit einem eigenen Dokument.",
    drop: "Ein eigenes Dokument ablegen", dropText: "PDF, Word, E-Mail, Webseite oder Text. Dafür entsteht ein Assistent.", choose: "Dateien wählen", model: "Ein Sprachmodell verbinden",
    modelText: "Bis dahin zitieren Antworten Sätze Ihrer Dokumente. Jeder Server, der die API von OpenAI spricht, ist recht.", kind: "Server", url: "Basis-URL", key: "Schlüssel dieses Servers",
    modelName: "Modell", tryIt: "Versuchen und speichern", trying: "Der Server wird gefragt …", works: (n) => `Er antwortet und bietet ${plural(n, "Modell", "Modelle")}.`,
    next: "Zum Code, der Ihr Programm verbindet", found: "Es ist über seine Wörter auffindbar. Fragen Sie etwas.",
  },
  chat: {
    title: "Chat", ask: "Fragen Sie Ihre Dokumente …", send: "Fragen", stop: "Anhalten", hint: "Enter sendet, Umschalt+Enter beginnt eine Zeile", empty: "Stellen Sie die erste Frage",
    emptyText: "Jede Nummer einer Antwort führt zu der Seite, die es sagt.", new: "Neuer Chat", edit: "Frage ändern", retry: "Erneut fragen", copy: "Als Markdown kopieren", writing: "Die Antwort entsteht",
    answerDone: "Die Antwort ist vollständig", sourcesCited: (n, of) => `${n} von ${of} Quellen genannt`, coverage: (share) => `${share} der Aussagesätze nennen eine Quelle`,
    unsupported: (n) => plural(n, "Aussage steht nicht in ihrer Quelle", "Aussagen stehen nicht in ihren Quellen"), weak: (n) => plural(n, "Aussage steht nur teilweise in ihrer Quelle", "Aussagen stehen nur teilweise in ihren Quellen"),
    confidence: (level) => `Vertrauen ${level}`, levels: { high: "hoch", medium: "mittel", low: "gering" },
    noSources: "Keine Stelle der Dokumente passt zur Frage.", none: "Die Antwort nennt keine Quelle.", unavailable: "Die Dokumente waren nicht durchsuchbar. Die Antwort hat keine Quellen.",
    skipped: "Die Dokumente wurden hierfür nicht durchsucht.", error: "Die Quellen dieser Antwort waren nicht lesbar. Bitte prüfen Sie sie selbst.",
    showAll: (n) => `Alle ${n} Quellen zeigen`, showCited: "Nur genannte Quellen zeigen", verify: "Alle prüfen",
    inspector: "Inspektor", helpful: "Hilfreich", unhelpful: "Nicht hilfreich", note: "Was war falsch?", thanks: "Danke. Es steht nun bei der Antwort.", sendNote: "Senden",
    badge: (n, support, where) => `Quelle ${n}, ${support}, ${where}`, support: { supported: "belegt", weak: "teilweise belegt", unsupported: "nicht belegt", none: "nicht geprüft" },
    page: (n) => `Seite ${n}`, pages: (from, to) => `Seiten ${from}–${to}`, score: (p) => `passt zu ${p} zur Frage`, open: "Öffnen", copyCitation: "Quelle kopieren",
    gone: "Das Dokument wurde inzwischen gelöscht.", unsupportedWhy: "Die Quelle sagt das nicht.", weakWhy: "Die Quelle sagt nur einen Teil davon.", you: "Ihre Frage",
  },
  inspector: {
    curl: "Als curl kopieren", retrieval: "Suche", passages: (n) => plural(n, "Stelle", "Stellen"), sources: "Quellen mit ihren Werten", request: "Gesendet",
    frames: (n) => plural(n, "Frame empfangen", "Frames empfangen"),
  },
  verify: {
    claim: (n, of) => `Aussage ${n} von ${of}`, source: (n) => `Quelle ${n}`, verified: "Geprüft", wrong: "Steht nicht da", next: "Weiter", back: "Zurück", end: "Beenden",
    done: (n, of) => `${n} von ${of} geprüft`, noQuote: "Keine Stelle der Quelle passt zu diesem Satz.",
  },
  viewer: {
    title: "Dokument", page: (n, of) => `Seite ${n} von ${of}`, previous: "Vorige Seite", next: "Nächste Seite", picture: "Seite", text: "Text", download: "Herunterladen",
    zoomIn: "Größer", zoomOut: "Kleiner", earlier: "Mehr davor", later: "Mehr danach", close: "Dokument schließen", of: (name) => `Seite von ${name}`, whole: "Als eigene Seite öffnen",
  },
  documents: {
    title: "Dokumente", drop: "Ziehen Sie Dateien oder Ordner auf diese Seite", upload: "Hochladen", empty: "Noch keine Dokumente", emptyText: "Ziehen Sie Dateien hierher oder wählen Sie sie aus. PDF, Word, E-Mail, Webseiten und Text werden gelesen.",
    name: "Name", state: "Zustand", pages: "Seiten", passages: "Stellen", labels: "Etiketten", size: "Größe", added: "Hinzugefügt", all: "Alle Zustände", search: "Nach Namen filtern",
    states: { pending: "wartet", extracting: "wird gelesen", chunking: "wird zerlegt", indexing: "wird indexiert", embedding: "über Wörter auffindbar", ready: "bereit", failed: "fehlgeschlagen" },
    selected: (n) => plural(n, "Dokument gewählt", "Dokumente gewählt"), selectAll: "Alle wählen", reprocess: "Neu lesen", removing: (n) => `${plural(n, "Dokument wird", "Dokumente werden")} gelöscht`,
    label: "Etiketten setzen", labelHelp: "Etiketten, durch Kommas getrennt", uploading: (name) => `${name} wird hochgeladen`, lost: (n) => `${plural(n, "Datei wurde", "Dateien wurden")} nicht fertig hochgeladen, weil die Seite verlassen wurde. Legen Sie sie noch einmal ab.`,
    duplicate: (name) => `${name} ist schon da`, refused: (name, why) => `${name}: ${why}`,
    noneFits: "Kein Dokument passt zu den Filtern", clear: "Alle zeigen", more: "Mehr zeigen", stateTitle: "Was geschah", passagesTitle: "Was das Modell sieht",
  },
  settings: {
    title: "Einstellungen", find: "Einstellung suchen", default: "Vorgabe", reset: "Zurück zur Vorgabe", saved: "Gespeichert", save: (n) => `${plural(n, "Änderung", "Änderungen")} speichern`, discard: "Verwerfen",
    groups: { model: "Modell", retrieval: "Suche", citations: "Quellenangaben", links: "Verweise", access: "Zugang", advanced: "Weiteres" }, unset: "nicht gesetzt", none: "Keine Einstellung passt.",
    invalid: "Das ist kein gültiges JSON.", on: "an", off: "aus", needs: (what) => `Wirkt nicht ohne ${what}.`,
  },
  connect: {
    title: "Verbinden", intro: "Ändern Sie die Basis-URL eines beliebigen OpenAI-Clients. Sonst nichts.", base: "Basis-URL", model: "Modell", key: "Schlüssel", makeKey: "Schlüssel für diesen Assistenten anlegen", keyOnce: "Er wird nur dieses Mal gezeigt. Bewahren Sie ihn auf.",
    language: "Programm", replace: "fn-…",
  },
  search: {
    title: "Suche", field: "Dokumente durchsuchen …", go: "Suchen", collections: "Sammlungen", all: "Alle durchsuchen", results: "Treffer", citations: "Belege",
    empty: "Alle Dokumente durchsuchen", emptyText: "Stellen Sie eine Frage oder geben Sie Wörter ein. Die besten Stellen stehen unter einer Antwort, die sie belegt.", noCollections: "Ihr Schlüssel liest keine Dokumente.",
    searching: "Die Dokumente werden durchsucht …", writing: "Die Antwort wird geschrieben", found: (n) => plural(n, "Stelle", "Stellen"), none: "Keine Stelle passt", noneText: "Versuchen Sie andere Wörter, oder durchsuchen Sie mehr Sammlungen.",
    noAnswer: "Das Modell hat nicht geantwortet", noAnswerText: "Die passenden Stellen stehen unten. Suchen Sie erneut, um eine Antwort zu erhalten.", lost: "Die Verbindung ist unterbrochen. Es geht weiter, sobald sie wieder da ist.",
    noCitations: "Die Antwort belegt nichts.", citationsLater: "Hier erscheint, was die Antwort belegt.", similar: "Ähnliche", why: "Warum", isSource: (n) => `Quelle ${n}`,
    like: (name) => `Stellen wie die aus ${name}`, likeAny: "Stellen wie diese", noneLike: "Keine andere Stelle gleicht ihr.", back: "Zurück zu den Treffern", related: "Auch in",
    words: (list) => `Markierte Wörter der Suche: ${list}.`, noWords: "Sie enthält kein Wort der Suche; ihr Sinn passt.", textScore: "Wörter", vectorScore: "Sinn", combined: "Zusammen", noScore: "nicht unter den besten 50, oder ohne Embedder",
    answeredBy: "Es antwortet", byDefault: "das voreingestellte Modell", limited: "Zu viele Anfragen",
  },
  palette: {
    open: "Finden", title: "Alles finden", field: "Stelle, Assistent, Dokument oder Einstellung finden …", hint: "↑ ↓ wählt, Enter öffnet, Esc schließt", none: "Nichts passt.", busy: "Wird gesucht …",
    groups: { go: "Gehe zu", assistants: "Assistenten", settings: "Einstellungen", documents: "Dokumente", passages: "Stellen" }, searchFor: (q) => `Nach „${q}“ suchen, mit Antwort`,
    found: (n) => plural(n, "Treffer", "Treffer"), failed: "Die Dokumente konnten nicht durchsucht werden.",
  },
  options: {
    title: "Nur für diese Frage", open: "Optionen", some: (n) => `${plural(n, "Option", "Optionen")} für diese Frage`, model: "Modell", own: "das des Assistenten", fixed: "der Assistent lässt kein anderes zu", topK: "Höchstens Stellen",
    format: "Zitatformat", labels: "Nur Dokumente mit", anyLabel: "Etiketten: hr, policy", otherFormat: "Dieses Format ist für andere Programme. Was es sendet, steht im Inspektor; Nummern und Karten gibt es im Format native.",
  },
  sent: { title: "Wie das Modell es bekam", large: (size) => `Die Anfrage ist zu groß, um gezeigt zu werden (${size}).`, extractive: "Dieses eingebaute Modell liest keine Anweisung. Es bekommt die Quellen für sich." },
  preview: {
    open: "Vor dem Speichern ausprobieren", title: "Eine Frage, beide Einstellungen", question: "Eine Frage mit den gespeicherten und den geänderten Einstellungen stellen …", text: "Beide Antworten erscheinen nebeneinander. Nichts wird gespeichert.",
    saved: "Wie gespeichert", changed: (names) => `Mit den Änderungen an ${names}`, noCitations: "Diese Antwort hat keine Belege.",
  },
  find: {
    open: "Im Dokument suchen", field: "In diesem Dokument suchen", at: (n, of) => (of === 0 ? "keine Stelle" : `${n.toLocaleString("de")} von ${of.toLocaleString("de")}`), next: "Nächste Stelle", previous: "Vorige Stelle", close: "Suche schließen",
    pages: "Seiten", page: "Seite", of: (n) => `von ${n.toLocaleString("de")}`, back: "Zurück zur Stelle",
  },
};
