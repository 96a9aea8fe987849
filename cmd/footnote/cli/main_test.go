package cli

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"footnote/cmd/footnote/console"
)

func TestMain(m *testing.M) {
	code := m.Run()
	http.DefaultClient.CloseIdleConnections()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run runs a command as the program does.
func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	root := &cobra.Command{Use: "footnote", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(Commands(Program{
		Streams: console.Streams{Out: &out, Err: &errs}, DataFlags: func(*cobra.Command) {},
	})...)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	if err != nil {
		code = 1
		if !errors.Is(err, console.ErrReported) {
			errs.WriteString(err.Error() + "\n")
		}
	}
	return out.String(), errs.String(), code
}
