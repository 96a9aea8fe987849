package wire

// DebugOptions are what an admin wants to know, or to try, with one request.
type DebugOptions struct {
	Given    bool   // the member is there
	Request  bool   // the answer says what the model was sent
	Settings []byte // an object that replaces some of the assistant's settings; nil: none
}

func (r *Request) readDebugOptions(v span) *Error {
	const param = "debug_options"
	if absent, e := r.wantObject(param, v); absent || e != nil {
		return e
	}
	opt := &r.ext.Debug
	opt.Given = true
	seen := map[string]bool{}
	for w := walk(r.body, v.start, 0); w.member(); {
		key := string(decodedKey(w.key.of(r.body)))
		raw := w.skip().of(r.body)
		switch key {
		case "request":
			on, null, ok := readBool(raw)
			if !ok && !null {
				return wrongType(param+".request", "true or false")
			}
			opt.Request = on
		case "settings":
			if raw[0] != '{' && string(raw) != "null" {
				return wrongType(param+".settings", "an object")
			}
			if raw[0] == '{' {
				opt.Settings = raw
			}
		default:
			return unknown(param, key, "'request' and 'settings'")
		}
		if seen[key] {
			return twice(param + "." + key)
		}
		seen[key] = true
	}
	return nil
}
