package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"footnote/cmd/footnote/console"
)

// A remoteKey is a key as the API shows it.
type remoteKey struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Prefix     string     `json:"prefix"`
	Scopes     []string   `json:"scopes"`
	Assistants []string   `json:"assistants"`
	ExpiresAt  *time.Time `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	Key        string     `json:"key"`
}

func (p *program) keysCommand() *cobra.Command {
	cmd := console.Group("keys", "Make, list and revoke API keys")
	cmd.AddCommand(p.keysCreateCommand(), p.keysListCommand(), p.keysRevokeCommand())
	return cmd
}

func (p *program) keysCreateCommand() *cobra.Command {
	var name, expires, fallback string
	var scopes, bound []string
	cmd := &cobra.Command{
		Use: "create", Short: "Make a key and print it, this once", Args: cobra.NoArgs,
		Example: "  footnote keys create --name web --scope chat --assistant handbook",
		RunE: func(cmd *cobra.Command, _ []string) error {
			in := map[string]any{"name": name, "scopes": scopes}
			if len(bound) > 0 {
				in["assistants"] = bound
			}
			if fallback != "" {
				in["default_assistant"] = fallback
			}
			if expires != "" {
				in["expires_at"] = expires
			}
			return p.withClient(cmd.Context(), func(ctx context.Context, c *client) error {
				if err := resolveAssistants(ctx, c, in); err != nil {
					return err
				}
				var k remoteKey
				if err := c.call(ctx, http.MethodPost, "/v1.0/keys", in, &k); err != nil {
					return err
				}
				fmt.Fprintln(p.Out, k.Key)
				fmt.Fprintf(p.Err, "%s: scopes %s. This is the only time the key is shown.\n", k.ID, strings.Join(k.Scopes, ", "))
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "what the key is for")
	cmd.Flags().StringSliceVar(&scopes, "scope", []string{"chat"}, "chat, search or admin; repeatable")
	cmd.Flags().StringSliceVar(&bound, "assistant", nil, "id or slug of an assistant the key is bound to; repeatable (default all)")
	cmd.Flags().StringVar(&fallback, "default-assistant", "", "assistant that answers requests naming none")
	cmd.Flags().StringVar(&expires, "expires", "", "end of its life, such as 2027-01-31T00:00:00Z (default never)")
	_ = cmd.MarkFlagRequired("name") // fails only for a flag that does not exist
	p.serverFlags(cmd)
	return cmd
}

// resolveAssistants turns the slugs of a new key into ids.
func resolveAssistants(ctx context.Context, c *client, in map[string]any) error {
	id := func(ref string) (string, error) {
		var a struct {
			ID string `json:"id"`
		}
		err := c.call(ctx, http.MethodGet, "/v1.0/assistants/"+url.PathEscape(ref), nil, &a)
		if err != nil {
			return "", fmt.Errorf("assistant %q: %w", ref, err)
		}
		return a.ID, nil
	}
	if refs, ok := in["assistants"].([]string); ok {
		for i := range refs {
			found, err := id(refs[i])
			if err != nil {
				return err
			}
			refs[i] = found
		}
	}
	if ref, ok := in["default_assistant"].(string); ok {
		found, err := id(ref)
		if err != nil {
			return err
		}
		in["default_assistant"] = found
	}
	return nil
}

func (p *program) keysListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List the keys; the secrets are not kept", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withData(cmd.Context(), func(ctx context.Context, c *client) error {
				w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
				fmt.Fprintln(w, "ID\tNAME\tPREFIX\tSCOPES\tSTATE")
				err := each(ctx, c, "/v1.0/keys", func(k remoteKey) error {
					_, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, k.Prefix, strings.Join(k.Scopes, ","), k.state(time.Now()))
					return err
				})
				if err != nil {
					return err
				}
				return w.Flush()
			})
		},
	}
	p.serverFlags(cmd)
	return cmd
}

func (k remoteKey) state(now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt != nil && now.After(*k.ExpiresAt):
		return "expired"
	default:
		return "active"
	}
}

func (p *program) keysRevokeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "revoke ID", Short: "End a key at once", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withData(cmd.Context(), func(ctx context.Context, c *client) error {
				err := c.call(ctx, http.MethodDelete, "/v1.0/keys/"+url.PathEscape(args[0]), nil, nil)
				if err == nil {
					fmt.Fprintln(p.Out, "revoked", args[0])
				}
				return err
			})
		},
	}
	p.serverFlags(cmd)
	return cmd
}
