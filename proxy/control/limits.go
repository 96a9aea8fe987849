package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/jsonbody"
)

// mergeLimits applies a JSON object of limits, in which null lifts a limit. raw may be
// absent.
func mergeLimits(limits assistants.Limits, raw json.RawMessage) (assistants.Limits, error) {
	if raw == nil {
		return limits, nil
	}
	const param = "limits"
	wrong := apierr.InvalidType(param, "limits must be an object of whole numbers, or null for no limit.")
	given, err := jsonbody.Members(raw)
	if err != nil {
		if twice := jsonbody.TwiceIn(param, err); twice != nil {
			return limits, twice
		}
		return limits, wrong
	}
	for name, value := range given {
		field := limits.Field(assistants.Limit(name))
		if field == nil {
			return limits, apierr.Unsupported(param + "." + name)
		}
		var n *int
		if json.Unmarshal(value, &n) != nil {
			return limits, apierr.InvalidType(param+"."+name, fmt.Sprintf("%s.%s must be a whole number, or null for no limit.", param, name))
		}
		*field = n
	}
	err = limits.Validate()
	if f, ok := errors.AsType[*assistants.FieldError](err); ok {
		return limits, apierr.Invalid(param+"."+f.Field, param+"."+f.Message)
	}
	return limits, err
}

// patchKey changes the name or the limits of a key. Limits that are left out stay.
func (a *api) patchKey(c *gin.Context) error {
	found, err := a.key(c)
	if err != nil {
		return err
	}
	var in struct {
		Name   *string         `json:"name" want:"a string"`
		Limits json.RawMessage `json:"limits" want:"an object"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if in.Name != nil {
		if err := assistants.CheckName("name", *in.Name); err != nil {
			return err
		}
	}
	saved, err := a.Store.UpdateKey(c.Request.Context(), found.TenantID, found.ID, guardedChange(unlessStale(c, tagOfKey), func(stored *assistants.Key) error {
		if in.Name != nil {
			stored.Name = *in.Name
		}
		merged, err := mergeLimits(stored.Limits, in.Limits)
		stored.Limits = merged
		return err
	}))
	if err != nil {
		return err
	}
	answerTagged(c, tagOfKey(saved), viewKey(saved))
	return nil
}

// limitView is one limit of a key or an assistant, and how much of it is used.
type limitView struct {
	Limit     assistants.Limit `json:"limit"`
	Max       *int             `json:"max"`       // null: no limit
	Used      *int64           `json:"used"`      // null: it is not counted, because there is no limit
	Remaining *int64           `json:"remaining"` // null: no limit
	ResetsAt  *time.Time       `json:"resets_at"` // when all of it is free again
}

func viewLimit(u access.LimitUse) limitView {
	v := limitView{Limit: u.Limit, Max: u.Most, Used: u.Used, ResetsAt: stampOrNil(u.Reset)}
	if u.Most != nil && u.Used != nil {
		left := max(int64(*u.Most)-*u.Used, 0)
		v.Remaining = &left
	}
	return v
}

// keyLimits lists the limits of a key, and how much of them is used.
func (a *api) keyLimits(c *gin.Context) error {
	found, err := a.key(c)
	if err != nil {
		return err
	}
	return a.answerLimits(c, found.TenantID, string(found.ID), found.Limits)
}

// assistantLimits lists the limits of an assistant, and how much of them is used.
func (a *api) assistantLimits(c *gin.Context) error {
	found, err := a.assistant(c)
	if err != nil {
		return err
	}
	return a.answerLimits(c, found.TenantID, string(found.ID), found.Settings.Limits())
}

func (a *api) answerLimits(c *gin.Context, tenant assistants.TenantID, id string, limits assistants.Limits) error {
	uses, err := a.Limits.Uses(c.Request.Context(), tenant, id, limits)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, pageOf(uses, "", viewLimit))
	return nil
}
