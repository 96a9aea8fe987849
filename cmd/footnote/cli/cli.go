// Package cli has the commands that talk to a server: ask, ingest, eval,
// check-text, keys and mcp. They speak the HTTP API and nothing else. Without --url they talk to a
// server that the program starts on the data directory for as long as the
// command runs, so both ways take the same paths. The package must not import
// stores, the index or the proxy; it gets that server as a function.
package cli

import (
	"context"

	"github.com/spf13/cobra"

	"footnote/cmd/footnote/console"
)

// A Program is what the commands get from the program that they belong to.
type Program struct {
	console.Streams
	Environ []string
	// DataFlags adds the options that choose the data directory to a command.
	DataFlags func(*cobra.Command)
	// DataDir is the configured data directory.
	DataDir func() (string, error)
	// ServeHere runs a server in this process on the data directory until end
	// is called. The key has every scope and is known to this process only.
	ServeHere func(context.Context) (address, key string, end func() error, err error)
}

// program carries what one run of a command adds: the server to talk to.
type program struct {
	Program
	url, key string
}

// Commands returns the commands.
func Commands(with Program) []*cobra.Command {
	p := &program{Program: with}
	return []*cobra.Command{p.ingestCommand(), p.askCommand(), p.evalCommand(), p.checkTextCommand(), p.keysCommand(), p.mcpCommand()}
}
