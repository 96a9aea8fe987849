package conformance

// A sight is what a way to ask lets the user read of an answer in addition to its text.
type sight struct {
	streams bool
	// The members of an answer that can be read. top: those next to the choices.
	top, annotations, context bool
	// first: of a stream only the first chunk's top level can be read.
	first bool
	// inMessage and events: the way asks for them, and shows them.
	inMessage, events bool
	// sources names the member that the client shows under a name of its own.
	sources string
	// fails has the class of the error that an answer raises, by case and format;
	// a case "*" is any.
	fails map[string]string
	// broken is the class of what an error in mid-stream raises.
	broken string
	// dropsTools: it knows nothing of tools.
	dropsTools bool
	// mute: what it raises does not say what the server said.
	mute bool
}

// The ways that keep everything, or nothing, of an answer.
var (
	everything = sight{top: true, annotations: true, context: true}
	nothing    = sight{}
)

func (s sight) stream(broken string) sight {
	s.streams, s.broken = true, broken
	return s
}

func (s sight) with(change func(*sight)) sight {
	change(&s)
	return s
}

func withoutContext(s *sight) { s.context = false }
func asksInMessage(s *sight)  { s.inMessage = true }
func asksEvents(s *sight)     { s.events = true }

var pythonSights = map[string]sight{
	"create": everything, "raw": everything, "stream": everything.stream("APIError"),
	"helper":            sight{first: true, annotations: true, context: true}.stream("APIError"),
	"events":            everything.stream("APIError").with(asksEvents),
	"in_message":        everything.with(asksInMessage),
	"in_message_stream": everything.stream("APIError").with(asksInMessage),
	"in_message_helper": sight{first: true, annotations: true, context: true}.stream("APIError").with(asksInMessage),
}

// perplexity is a sight of a provider that takes only Perplexity's answers: a
// list of citations, and no tools.
func (s sight) perplexity(class, broken string) sight {
	s.sources, s.dropsTools, s.broken, s.mute = "citations", true, broken, true
	s.fails = map[string]string{"*/native": class, "*/markdown": class}
	if !s.streams {
		s.fails["tools/*"] = class // their answer is no text
		s.sources = "citations"    // of a stream it reads those of the first chunk
	}
	return s
}

// sights are what each client shows, by the name that its scripts give it.
var sights = map[string]map[string]sight{
	"openai-node": {
		"create": everything, "stream": everything.stream("APIError"), "helper": everything.stream("APIError"),
		"events":            everything.stream("APIError").with(asksEvents),
		"in_message":        everything.with(asksInMessage),
		"in_message_helper": everything.stream("APIError").with(asksInMessage),
	},
	"openai-python":   pythonSights,
	"openai-python 2": pythonSights,
	"openai-go": {
		"create": everything, "stream": everything.stream("StreamError"), "accumulator": nothing.stream("StreamError"),
		"events": everything.stream("StreamError").with(asksEvents), "in_message": everything.with(asksInMessage),
	},
	"go-openai": {
		"create": nothing, "stream": nothing.stream("APIError"), "raw": everything.stream("APIError"),
	},
	"@ai-sdk/openai": {
		"create": everything.with(func(s *sight) { s.sources = "annotations" }),
		"stream": everything.stream("Object").with(func(s *sight) { s.sources = "annotations" }),
		"ui":     nothing.stream("Error").with(func(s *sight) { s.sources = "annotations" }),
	},
	"@ai-sdk/openai-compatible": {
		"create": everything, "stream": everything.stream("Object"), "ui": nothing.stream("Error"),
		"extracted": {top: true}, "extracted_stream": sight{top: true}.stream("Object"),
	},
	"@ai-sdk/perplexity": {
		"create": everything.perplexity("AI_APICallError", ""),
		"stream": everything.stream("").perplexity("AI_TypeValidationError", "AI_TypeValidationError"),
		"ui":     nothing.stream("").perplexity("Error", "Error"),
	},
	"LangChain JS": {
		"create": nothing, "stream": nothing.stream("APIError"), "raw": everything, "raw_stream": everything.stream("APIError"),
	},
	"LlamaIndex TS": {
		"create": everything,
		// It skips chunks without text, and the first is one.
		"stream": everything.stream("APIError").with(withoutContext),
	},
	"LangChain Python":  {"create": nothing, "stream": nothing.stream("APIError"), "subclass": {top: true}, "subclass_stream": sight{top: true}.stream("APIError")},
	"LlamaIndex Python": {"create": everything, "stream": everything.stream("APIError")},
	"litellm":           {"create": everything.with(withoutContext), "stream": everything.stream("MidStreamFallbackError")},
}
