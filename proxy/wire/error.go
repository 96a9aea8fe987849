package wire

import "fmt"

// Error says what is wrong with a request. It always means HTTP status 400.
type Error struct {
	Code    string // such as invalid_json, duplicate_key, invalid_type
	Param   string // the field at fault, such as messages[3]; "" for the body as a whole
	Message string // a sentence for the client
}

// Error returns the message for the client.
func (e *Error) Error() string { return e.Message }

// InvalidUTF8 is the error of a body that is not UTF-8.
func InvalidUTF8() *Error {
	return &Error{"invalid_utf8", "", "The request body is not valid UTF-8. Encode all text as UTF-8."}
}

func invalidJSON(message string) *Error { return &Error{"invalid_json", "", message} }

func wrongType(param, want string) *Error {
	return &Error{"invalid_type", param, fmt.Sprintf("'%s' must be %s.", param, want)}
}
