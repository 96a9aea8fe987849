const plural = (n: number, one: string, many: string): string => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export const en = {
  app: "Footnote",
  skip: "Skip to the content",
  nav: {
    assistants: "Assistants", welcome: "First steps", chat: "Chat", documents: "Documents", settings: "Settings", connect: "Connect",
    admin: "Server", menu: "Menu",
    signOut: "Sign out", theme: "Light or dark", api: "API",
  },
  signIn: {
    title: "Sign in", text: "Paste a key of this server. The first start printed one.", key: "Key", keep: "Keep me signed in on this computer",
    go: "Sign in", refused: "The server does not know this key, or it has expired.",
  },
  common: {
    retry: "Try again", close: "Close", copy: "Copy", copied: "Copied", save: "Save", undo: "Undo", remove: "Delete", open: "Open",
    loading: "Loading", notFound: "There is nothing here", notFoundText: "It was deleted, or your key may not see it.",
  },
  problem: {
    unreachable: "The server does not answer", unreachableText: "Nothing was lost. It is tried again when you ask for it.",
    forbidden: "Your key may not see this", forbiddenText: "Sign in with a key that has the scope admin.",
    interrupted: "The answer ended early", interruptedText: "What has arrived is above. Ask again to get all of it.", failed: "This did not work", request: "Request",
  },
  assistants: {
    make: "New assistant", name: "Name", makeText: "It answers from the documents that you give it.", empty: "No assistant yet",
    emptyText: "An assistant is a set of documents with a name. Make one, and drop your documents on it.",
    documents: (n: number) => plural(n, "document", "documents"), failed: (n: number) => plural(n, "document could not be read", "documents could not be read"),
    busy: (n: number) => plural(n, "document is being read", "documents are being read"), noCitations: "Citations are off", sample: "Sample",
  },
  welcome: {
    title: "First steps", intro: "Three steps. Do them in any order.", ask: "Ask the sample assistant", askText: "It knows an employee handbook. Its answer shows where each sentence comes from.",
    question: "How many vacation days do I get?", askIt: "Ask this", noSample: "This server was started without the sample. Start with a document of your own.",
    drop: "Drop a document of your own", dropText: "PDF, Word, e-mail, web page or text. An assistant is made for it.", choose: "Choose files", model: "Connect a model",
    modelText: "Until then answers quote sentences of your documents. Any server that speaks OpenAI's API will do.", kind: "Server", url: "Base URL", key: "Key of that server",
    modelName: "Model", tryIt: "Try and save", trying: "Asking the server …", works: (n: number) => `It answers, and offers ${plural(n, "model", "models")}.`,
    next: "Get the code that connects your program", found: "It can be found by its words now. Ask it something.",
  },
  chat: {
    title: "Chat", ask: "Ask about your documents …", send: "Ask", stop: "Stop", hint: "Enter sends, Shift+Enter is a new line", empty: "Ask the first question",
    emptyText: "Each number in an answer leads to the page that says so.", new: "New chat", edit: "Edit question", retry: "Ask again", copy: "Copy as Markdown", writing: "The answer is being written",
    answerDone: "The answer is complete", sourcesCited: (n: number, of: number) => `${n} of ${of} sources cited`, coverage: (share: string) => `${share} of the factual sentences carry a source`,
    unsupported: (n: number) => plural(n, "claim is not in its source", "claims are not in their sources"), weak: (n: number) => plural(n, "claim is only partly in its source", "claims are only partly in their sources"),
    confidence: (level: string) => `confidence ${level}`, levels: { high: "high", medium: "medium", low: "low" } as Record<string, string>,
    noSources: "No passage of the documents fits the question.", none: "The answer names no source.", unavailable: "The documents could not be searched. The answer has no sources.",
    skipped: "The documents were not searched for this.", error: "The sources of this answer could not be read. Please check it by hand.",
    showAll: (n: number) => `Show all ${n} sources`, showCited: "Show cited sources only", verify: "Verify all",
    inspector: "Inspector", helpful: "Helpful", unhelpful: "Not helpful", note: "What was wrong?", thanks: "Thank you. It is kept with the answer.", sendNote: "Send",
    badge: (n: number, support: string, where: string) => `Source ${n}, ${support}, ${where}`, support: { supported: "supported", weak: "partly supported", unsupported: "not supported", none: "not checked" } as Record<string, string>,
    page: (n: number) => `page ${n}`, pages: (from: number, to: number) => `pages ${from}–${to}`, score: (p: string) => `fits the question by ${p}`, open: "Open", copyCitation: "Copy citation",
    gone: "The document was deleted meanwhile.", unsupportedWhy: "Its source does not say this.", weakWhy: "Its source says only a part of this.", you: "You asked",
  },
  inspector: {
    curl: "Copy as curl", retrieval: "Search", passages: (n: number) => plural(n, "passage", "passages"), sources: "Sources with their scores", request: "Sent",
    frames: (n: number) => plural(n, "frame received", "frames received"),
  },
  verify: {
    claim: (n: number, of: number) => `Claim ${n} of ${of}`, source: (n: number) => `Source ${n}`, verified: "Verified", wrong: "Does not say so", next: "Next", back: "Back", end: "End",
    done: (n: number, of: number) => `${n} of ${of} verified`, noQuote: "No passage of the source fits this sentence.",
  },
  viewer: {
    title: "Document", page: (n: number, of: number) => `page ${n} of ${of}`, previous: "Previous page", next: "Next page", picture: "Page", text: "Text", download: "Download",
    zoomIn: "Larger", zoomOut: "Smaller", earlier: "More before", later: "More after", close: "Close the document", of: (name: string) => `Page of ${name}`,
    whole: "Open as a page",
  },
  documents: {
    title: "Documents", drop: "Drop files or folders anywhere on this page", upload: "Upload", empty: "No documents yet", emptyText: "Drop files here, or choose them. PDF, Word, e-mail, web pages and text are read.",
    name: "Name", state: "State", pages: "Pages", passages: "Passages", labels: "Labels", size: "Size", added: "Added", all: "All states", search: "Filter by name",
    states: { pending: "waiting", extracting: "being read", chunking: "being cut", indexing: "being indexed", embedding: "found by words", ready: "ready", failed: "failed" } as Record<string, string>,
    selected: (n: number) => plural(n, "document selected", "documents selected"), selectAll: "Select all", reprocess: "Read again", removing: (n: number) => `${plural(n, "document", "documents")} will be deleted`,
    label: "Set labels", labelHelp: "Labels, separated by commas", uploading: (name: string) => `Uploading ${name}`, lost: (n: number) => `${plural(n, "upload was", "uploads were")} interrupted by leaving the page. Drop the files again.`,
    duplicate: (name: string) => `${name} is there already`, refused: (name: string, why: string) => `${name}: ${why}`,
    noneFits: "No document fits the filters", clear: "Show all", more: "Show more", stateTitle: "What happened", passagesTitle: "What the model sees",
  },
  settings: {
    title: "Settings", find: "Find a setting", default: "Default", reset: "Back to the default", saved: "Saved", save: (n: number) => `Save ${plural(n, "change", "changes")}`, discard: "Discard",
    groups: { model: "Model", retrieval: "Retrieval", citations: "Citations", links: "Links", access: "Access", advanced: "Advanced" } as Record<string, string>, unset: "not set", none: "No setting fits.",
    invalid: "This is no valid JSON.", on: "on", off: "off", needs: (what: string) => `Has no effect without ${what}.`,
  },
  connect: {
    title: "Connect", intro: "Change the base URL of any OpenAI client. Nothing else.", base: "Base URL", model: "Model", key: "Key", makeKey: "Make a key for this assistant", keyOnce: "It is shown this once. Keep it.",
    language: "Program", replace: "fn-…",
  },
  search: {
    title: "Search", field: "Search the documents …", go: "Search", collections: "Collections", all: "Search all", results: "Results", citations: "Citations",
    empty: "Search all documents", emptyText: "Ask a question or give some words. The passages that fit best stand below an answer that cites them.", noCollections: "Your key reads no documents.",
    searching: "Searching the documents …", writing: "The answer is being written", found: (n: number) => plural(n, "passage", "passages"), none: "No passage fits", noneText: "Try other words, or search more collections.",
    noAnswer: "The model did not answer", noAnswerText: "The passages that fit are below. Search again for an answer.", lost: "The connection was lost. It goes on as soon as it is back.",
    noCitations: "The answer cites no passage.", citationsLater: "What the answer cites appears here.", similar: "Similar", why: "Why", isSource: (n: number) => `source ${n}`,
    like: (name: string) => `Passages like the one of ${name}`, likeAny: "Passages like this one", noneLike: "No other passage is like it.", back: "Back to the results", related: "Also in",
    words: (list: string) => `Marked words of the query: ${list}.`, noWords: "It has no word of the query; its meaning fits.", textScore: "Words", vectorScore: "Meaning", combined: "Together", noScore: "not among the best 50, or there is no embedder",
    answeredBy: "Answered by", byDefault: "the default model", limited: "Too many requests",
  },
  palette: {
    open: "Find", title: "Find anything", field: "Find a passage, an assistant, a document, a setting …", hint: "↑ ↓ choose, Enter opens, Esc closes", none: "Nothing fits.", busy: "Searching …",
    groups: { go: "Go to", assistants: "Assistants", settings: "Settings", documents: "Documents", passages: "Passages" } as Record<string, string>, searchFor: (q: string) => `Search for “${q}”, with an answer`,
    found: (n: number) => plural(n, "hit", "hits"), failed: "The documents could not be searched.",
  },
  options: {
    title: "For this question only", open: "Options", some: (n: number) => `${plural(n, "option", "options")} for this question`, model: "Model", own: "the assistant's", fixed: "the assistant allows no other", topK: "Passages at most",
    format: "Citation format", labels: "Only documents with", anyLabel: "labels: hr, policy", otherFormat: "This format is for other programs. What it sends stands in the Inspector; badges and cards are of the format native.",
  },
  sent: { title: "As the model got it", large: (size: string) => `The request is too large to be shown (${size}).`, extractive: "This built-in model reads no prompt. It gets the sources by themselves." },
  preview: {
    open: "Try before saving", title: "One question, both settings", question: "Ask a question with the saved and the changed settings …", text: "Both answers appear side by side. Nothing is saved or stored.",
    saved: "As saved", changed: (names: string) => `With the changes to ${names}`, noCitations: "This answer has no citations.",
  },
  find: {
    open: "Find in the document", field: "Find in this document", at: (n: number, of: number) => (of === 0 ? "no mention" : `${n.toLocaleString("en")} of ${of.toLocaleString("en")}`), next: "Next mention", previous: "Previous mention", close: "Close the search",
    pages: "Pages", page: "Page", of: (n: number) => `of ${n.toLocaleString("en")}`, back: "Back to the passage",
  },
};
