package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"footnote/proxy/upstream"
)

// streams are a command's standard input and outputs.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// A program carries what all commands share.
type program struct {
	streams
	environ    []string
	configFile string
	flags      *pflag.FlagSet // the options of Config
	url, key   string         // of the server that client commands talk to
	drain      drain          // how serve stops
}

func newProgram(s streams, environ []string) *program {
	return &program{streams: s, environ: environ, drain: defaultDrain}
}

// command is the program's command line.
func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "footnote",
		Short: "OpenAI-compatible chat proxy that answers about your documents, with citations",
		Long: `Footnote stands between an OpenAI client and a model server. It finds the passages of your
documents that a question is about, gives them to the model as numbered sources, and adds
to every answer which document, page and passage each [n] stands for.

Try it:           footnote serve --demo
Own documents:    footnote ingest --assistant handbook ./my-documents
Ask:              footnote ask --assistant handbook "How many vacation days do I get?"

Options come from defaults, then footnote.yaml, then FOOTNOTE_* variables, then flags.`,
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("footnote {{.Version}}\n")
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	p.flags = optionFlags()
	root.AddCommand(p.configFlags(p.serveCommand()), p.ingestCommand(), p.askCommand(), p.evalCommand(), p.keysCommand(),
		p.migrateCommand(), p.modelCommand(), p.backupCommand(), p.restoreCommand(), p.configFlags(p.checkCommand()),
		p.configFlags(p.checkConfigCommand()), p.versionCommand())
	return root
}

// configFlags gives a command that runs or checks a server every option.
func (p *program) configFlags(cmd *cobra.Command) *cobra.Command {
	p.configFlag(cmd)
	cmd.Flags().AddFlagSet(p.flags)
	return cmd
}

func (p *program) configFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.configFile, "config", "", "configuration file (default footnote.yaml, if there is one)")
}

// optionFlags makes a flag of every option, with the help of its tags.
func optionFlags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("options", pflag.ContinueOnError)
	eachOption(&Config{}, func(o option) {
		help := o.help
		if o.fallback != "" {
			help += " (default " + o.fallback + ")"
		}
		if _, ok := o.value.Interface().(bool); ok {
			flags.Bool(o.flag(), o.fallback == "true", o.help)
			return
		}
		flags.String(o.flag(), "", help)
	})
	return flags
}

// config reads the configuration and tells about variables nobody knows.
func (p *program) config() (Config, error) {
	given := map[string]string{}
	eachOption(&Config{}, func(o option) {
		if f := p.flags.Lookup(o.flag()); f.Changed {
			given[o.name] = f.Value.String()
		}
	})
	cfg, warnings, err := LoadConfig(Sources{File: p.configFile, Environ: p.environ, Flags: given})
	for _, w := range warnings {
		fmt.Fprintln(p.err, "warning:", w)
	}
	return cfg, err
}

// variable returns an environment variable, "" when it is not set.
func (p *program) variable(name string) string {
	for _, e := range p.environ {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}

// logger logs to standard error, as text on a terminal and as JSON elsewhere.
func (p *program) logger(cfg Config) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		level = slog.LevelInfo // Validate refuses other names before
	}
	opts := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewJSONHandler(p.err, opts)
	if cfg.LogFormat == "text" || cfg.LogFormat == "" && isTerminal(p.err) {
		h = slog.NewTextHandler(p.err, opts)
	}
	return slog.New(upstream.DiscreetLog(h))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { fmt.Fprintln(p.out, "footnote", version) },
	}
}

func (p *program) checkConfigCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check-config", Short: "Print the effective configuration and every problem with it", Args: cobra.NoArgs,
		Long: "Prints every option as it takes effect, secrets as ***, then every problem with its remedy.\nExit status 1 when there are problems. Nothing is opened or changed.",
		RunE: func(*cobra.Command, []string) error {
			cfg, err := p.config()
			eachOption(&cfg, func(o option) {
				fmt.Fprintf(p.out, "%s=%s\n", o.env(), o.shown())
			})
			var problems Problems
			if errors.As(err, &problems) {
				fmt.Fprintln(p.err)
				for _, problem := range problems {
					fmt.Fprintln(p.err, "problem:", problem)
				}
				return errSilent
			}
			return err
		},
	}
}

// group is a command that only has others below it: alone it tells which, and
// one that it does not have is an error.
func group(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("unknown command %q for %q; see %s --help", args[0], cmd.CommandPath(), cmd.CommandPath())
		}
		return cmd.Help()
	}}
}

func (p *program) migrateCommand() *cobra.Command {
	cmd := group("migrate", "Bring the database's schema up to date, or show where it stands")
	cmd.AddCommand(
		p.configFlags(&cobra.Command{
			Use: "up", Short: "Apply the migrations that are missing", Args: cobra.NoArgs,
			Long: "Applies the migrations that are missing. `footnote serve` does the same at its start;\nthis command is for doing it beforehand.",
			RunE: func(cmd *cobra.Command, _ []string) error { return p.migrateUp(cmd.Context()) },
		}),
		p.configFlags(&cobra.Command{
			Use: "status", Short: "List the migrations and when each was applied", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return p.migrateStatus(cmd.Context()) },
		}))
	return cmd
}
