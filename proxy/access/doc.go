// Package access turns the credentials of a request into a [Principal]: the
// tenant, and what the key may do and see. It also makes keys and limits the
// rate of requests.
//
// Its rules: a key has 256 random bits, is stored only as a SHA-256 digest and
// found by a public prefix. Every kind of wrong key gives the same error. A key
// is looked up on every request, so that revoking it takes effect immediately.
// It imports the domain package and nothing else of this module.
package access
