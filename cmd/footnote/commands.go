package main

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"footnote/cmd/footnote/cli"
	"footnote/cmd/footnote/console"
	"footnote/cmd/footnote/maintain"
	"footnote/proxy/openapi"
	"footnote/proxy/upstream"
)

// A program carries what all commands share.
type program struct {
	console.Streams
	environ    []string
	configFile string
	flags      *pflag.FlagSet // the options of Config
	drain      drain          // how serve stops
}

func newProgram(s console.Streams, environ []string) *program {
	return &program{Streams: s, environ: environ, drain: defaultDrain}
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
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	p.flags = optionFlags()
	root.AddCommand(p.addOptionFlags(p.serveCommand()), p.addOptionFlags(p.modelCommand()), p.addOptionFlags(p.healthCommand()), p.addOptionFlags(p.checkConfigCommand()), p.versionCommand(), p.openAPICommand())
	root.AddCommand(cli.Commands(cli.Program{
		Streams: p.Streams, Environ: p.environ, DataFlags: p.dataFlags, DataDir: p.dataDir, ServeHere: p.serveHere,
	})...)
	for _, cmd := range maintain.Commands(maintain.Program{Streams: p.Streams, Version: version, Environ: p.environ, Config: p.maintenance}) {
		root.AddCommand(p.addOptionFlags(cmd))
	}
	nameUse(root)
	return root
}

// nameUse makes errors about arguments and flags say how a command and its subcommands
// are called.
func nameUse(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		nameUse(sub)
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return fmt.Errorf("%w; usage: %s", err, cmd.UseLine())
			}
			return nil
		}
	}
	own := cmd.FlagErrorFunc()
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; `%s --help` lists the flags", own(cmd, err), cmd.CommandPath())
	})
}

// addOptionFlags adds every option of the server to a command without subcommands,
// and to all subcommands.
func (p *program) addOptionFlags(cmd *cobra.Command) *cobra.Command {
	for _, sub := range cmd.Commands() {
		p.addOptionFlags(sub)
	}
	if !cmd.HasSubCommands() {
		p.configFileFlag(cmd)
		cmd.Flags().AddFlagSet(p.flags)
	}
	return cmd
}

// dataFlags gives a command the options that choose the data directory.
func (p *program) dataFlags(cmd *cobra.Command) {
	p.configFileFlag(cmd)
	cmd.Flags().AddFlag(p.flags.Lookup("data-dir"))
}

func (p *program) configFileFlag(cmd *cobra.Command) {
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

// config reads the configuration and warns about unknown variables.
func (p *program) config() (Config, error) {
	given := map[string]string{}
	eachOption(&Config{}, func(o option) {
		if f := p.flags.Lookup(o.flag()); f.Changed {
			given[o.name] = f.Value.String()
		}
	})
	cfg, warnings, err := LoadConfig(Sources{File: p.configFile, Environ: p.environ, Flags: given})
	for _, w := range warnings {
		fmt.Fprintln(p.Err, "warning:", w)
	}
	return cfg, err
}

// dataDir is the configured data directory.
func (p *program) dataDir() (string, error) {
	cfg, err := p.config()
	return cfg.DataDir, err
}

// maintenance is the configuration as the commands of maintain need it.
func (p *program) maintenance(quiet bool) (maintain.Config, error) {
	cfg, err := p.config()
	if err != nil {
		return maintain.Config{}, err
	}
	if quiet {
		cfg.LogLevel = "error"
	}
	return cfg.maintenance(p.logger(cfg)), nil
}

// logger logs to standard error, as text on a terminal and as JSON elsewhere.
func (p *program) logger(cfg Config) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		level = slog.LevelInfo // Validate refuses other names before
	}
	opts := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewJSONHandler(p.Err, opts)
	if p.logFormat(cfg) == "text" {
		h = slog.NewTextHandler(p.Err, opts)
	}
	return slog.New(upstream.DiscreetLog(h))
}

// logFormat is the format of the log: the one that is set, or the default.
func (p *program) logFormat(cfg Config) string {
	switch {
	case cfg.LogFormat != "":
		return cfg.LogFormat
	case console.IsTerminal(p.Err):
		return "text"
	}
	return "json"
}

func (p *program) openAPICommand() *cobra.Command {
	return &cobra.Command{
		Use: "openapi", Short: "Print the description of the API (OpenAPI 3.1)", Args: cobra.NoArgs,
		Long:    "Prints what a server shows at /v1.0/openapi.json, for programs that make clients of it.",
		Example: "  footnote openapi > openapi.json",
		RunE: func(*cobra.Command, []string) error {
			description, err := openapi.New(version)
			if err != nil {
				return err
			}
			_, err = p.Out.Write(description.JSON)
			return err
		},
	}
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { fmt.Fprintln(p.Out, "footnote", version) },
	}
}

func (p *program) checkConfigCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check-config", Short: "Print the effective configuration and every problem with it", Args: cobra.NoArgs,
		Long: "Prints every option as it takes effect, secrets as ***, then every problem with its remedy.\nExit status 1 when there are problems. Nothing is opened or changed.",
		RunE: func(*cobra.Command, []string) error {
			cfg, err := p.config()
			cfg.LogFormat = p.logFormat(cfg)
			eachOption(&cfg, func(o option) {
				fmt.Fprintf(p.Out, "%s=%s\n", o.env(), o.shown())
			})
			var problems Problems
			if errors.As(err, &problems) {
				fmt.Fprintln(p.Err)
				for _, problem := range problems {
					fmt.Fprintln(p.Err, "problem:", problem)
				}
				return console.ErrReported
			}
			return err
		},
	}
}
