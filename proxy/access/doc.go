// Package access turns the credentials of a request into a [Principal]: who
// asks, for which tenant, and what that key may do and see. It also makes keys
// and limits how often one may ask.
//
// Its rules: a key is 256 bits of randomness, kept only as a SHA-256 digest
// and found by a public prefix; every way in which a key can be wrong gives the
// same error; a key is looked up on every request, so that revoking it works at
// once. It imports the domain package and nothing else of this module.
package access
