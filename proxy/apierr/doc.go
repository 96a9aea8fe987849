// Package apierr is the only place where an error becomes HTTP. It turns every
// error of this program into a status and the error object of the OpenAI API,
// by one ordered table.
//
// Its rules: only sentences written for people leave the program (those of
// [Error], assistants.FieldError, wire.Error and upstream.Error); the text of
// any other error goes to the log and never to a client; an error with a
// status of 500 or more is logged once, with the request's id; what may not be
// seen answers exactly as what does not exist. It must not import a store, the
// citations or the packages that use it.
package apierr
