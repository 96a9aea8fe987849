package control

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// putSynonyms replaces the synonyms of an assistant, so that they can be imported.
func (a *api) putSynonyms(c *gin.Context) error {
	found, err := a.assistant(c)
	if err != nil {
		return err
	}
	lines, err := synonymsOf(c)
	if err != nil {
		return err
	}
	eventOf(c).Fields = []string{"synonyms"}
	saved, err := a.Store.UpdateAssistant(c.Request.Context(), found.TenantID, string(found.ID), guardedChange(unlessStale(c, tagOfSettings), func(stored *assistants.Assistant) error {
		stored.Settings.Synonyms = lines
		return nil
	}))
	if err != nil {
		return err
	}
	answerTagged(c, tagOfSettings(saved), settingsView{Settings: saved.Settings, Warnings: a.warningsFor(c.Request, saved)})
	return nil
}

// putCollectionSynonyms replaces the synonyms of a shared collection likewise.
func (a *api) putCollectionSynonyms(c *gin.Context) error {
	found, err := a.collection(c)
	if err != nil {
		return err
	}
	lines, err := synonymsOf(c)
	if err != nil {
		return err
	}
	eventOf(c).Fields = []string{"synonyms"}
	return a.changeCollection(c, found, assistants.CollectionChange{Synonyms: lines})
}

// synonymsOf reads synonyms: a CSV file, or a JSON object.
func synonymsOf(c *gin.Context) (lines []string, err error) {
	media, params, _ := mime.ParseMediaType(c.GetHeader("Content-Type"))
	switch {
	case media == "application/json":
		var in struct {
			Synonyms *[]string `json:"synonyms" want:"a list of strings" required:"true"`
		}
		if err := readJSON(c, &in); err != nil {
			return nil, err
		}
		lines = append([]string{}, *in.Synonyms...)
	case media == "text/csv" && (params["charset"] == "" || strings.EqualFold(params["charset"], "utf-8")):
		if err := refuseEncoding(c); err != nil {
			return nil, err
		}
		body, err := io.ReadAll(http.MaxBytesReader(connection(c.Writer), c.Request.Body, maxJSONBody))
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); err != nil && !tooLarge {
			return nil, apierr.Invalid("", "The request body could not be read to its end.")
		}
		if err != nil {
			return nil, err
		}
		return assistants.ReadSynonyms("synonyms", string(body))
	default:
		return nil, apierr.UnsupportedMedia("Send the synonyms as text/csv in UTF-8 with a group on each line, or as application/json.")
	}
	return lines, assistants.CheckSynonyms("synonyms", lines)
}
