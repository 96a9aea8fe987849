//go:build !amd64

package dot

func onEveryWay(fn func(way string)) { fn("plain Go") }
