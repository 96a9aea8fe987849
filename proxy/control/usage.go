package control

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

type usageView struct {
	Data  []usageStep  `json:"data"`
	Total usageFigures `json:"total"` // of all steps
}

// A usageStep is an hour, a day or a minute.
type usageStep struct {
	Start       time.Time               `json:"start"`
	AssistantID *assistants.AssistantID `json:"assistant_id,omitempty"` // "": none
	KeyID       *assistants.KeyID       `json:"key_id,omitempty"`       // "": none
	usageFigures
}

type usageFigures struct {
	Requests    int64          `json:"requests"`
	Refused     int64          `json:"refused"`
	Failed      int64          `json:"failed"`
	Interrupted int64          `json:"interrupted"`
	Tokens      usageTokens    `json:"tokens"`
	FirstByteMS usageFirstByte `json:"first_byte_ms"`
	Citations   usageCitations `json:"citations"`
}

type usageTokens struct {
	Requests   int64 `json:"requests"` // whose model server told them
	Prompt     int64 `json:"prompt"`
	Completion int64 `json:"completion"`
}

type usageFirstByte struct {
	Requests int64    `json:"requests"` // whose answer began
	Mean     *float64 `json:"mean"`     // null: none began
	Max      *float64 `json:"max"`
}

type usageCitations struct {
	Cited       int64 `json:"cited"`
	None        int64 `json:"none"`
	NoSources   int64 `json:"no_sources"`
	Unavailable int64 `json:"unavailable"`
}

func viewUsage(c assistants.UsageCounts) usageFigures {
	v := usageFigures{
		Requests: c.Requests, Refused: c.Refused, Failed: c.Failed, Interrupted: c.Interrupted,
		Tokens:      usageTokens{c.Counted, c.PromptTokens, c.CompletionTokens},
		FirstByteMS: usageFirstByte{Requests: c.FirstBytes},
		Citations:   usageCitations{c.Cited, c.Uncited, c.NoSources, c.Unavailable},
	}
	if c.FirstBytes > 0 {
		mean, most := milliseconds(c.FirstByteSum/time.Duration(c.FirstBytes)), milliseconds(c.FirstByteMax)
		v.FirstByteMS.Mean, v.FirstByteMS.Max = &mean, &most
	}
	return v
}

// milliseconds returns a duration with one decimal.
func milliseconds(d time.Duration) float64 { return math.Round(float64(d.Microseconds())/100) / 10 }

// defaultUsage is the time that usage is shown of when the request does not say.
const defaultUsage = 24 * time.Hour

// usage shows the figures of chats by hour or day.
func (a *api) usage(c *gin.Context) error {
	q, byDay, err := a.usageQueryOf(c)
	if err != nil {
		return err
	}
	if a.Audit != nil {
		if err := a.Audit.Flush(c.Request.Context()); err != nil {
			return err
		}
	}
	hours, err := a.Store.Usage(c.Request.Context(), principalOf(c).Tenant, q)
	if err != nil {
		return err
	}
	if len(hours) > assistants.MaxUsage {
		return apierr.Invalid("from", fmt.Sprintf("There are more than %d figures; ask for a shorter time, or keep less apart with by.", assistants.MaxUsage))
	}
	type group struct {
		start     time.Time
		assistant assistants.AssistantID
		key       assistants.KeyID
	}
	var order []group
	counts := map[group]*assistants.UsageCounts{}
	var total assistants.UsageCounts
	for _, h := range hours {
		g := group{h.Hour, h.Assistant, h.Key}
		if byDay {
			g.start = h.Hour.Truncate(24 * time.Hour)
		}
		if counts[g] == nil {
			order, counts[g] = append(order, g), &assistants.UsageCounts{}
		}
		counts[g].Add(h.UsageCounts)
		total.Add(h.UsageCounts)
	}
	v := usageView{Data: make([]usageStep, len(order)), Total: viewUsage(total)}
	for i, g := range order {
		v.Data[i] = usageStep{Start: g.start, usageFigures: viewUsage(*counts[g])}
		if q.ByAssistant {
			v.Data[i].AssistantID = &g.assistant
		}
		if q.ByKey {
			v.Data[i].KeyID = &g.key
		}
	}
	c.JSON(http.StatusOK, v)
	return nil
}

// usageMinutes shows the figures of the last hour's chats by minute.
func (a *api) usageMinutes(c *gin.Context) error {
	v := usageView{Data: []usageStep{}}
	var total assistants.UsageCounts
	if a.Recent != nil {
		for _, m := range a.Recent.Recent(principalOf(c).Tenant) {
			v.Data = append(v.Data, usageStep{Start: m.Start, usageFigures: viewUsage(m.UsageCounts)})
			total.Add(m.UsageCounts)
		}
	}
	v.Total = viewUsage(total)
	c.JSON(http.StatusOK, v)
	return nil
}

func (a *api) usageQueryOf(c *gin.Context) (q assistants.UsageQuery, byDay bool, err error) {
	assistant, err := idParameter(c, "assistant_id", "asst_")
	if err != nil {
		return q, false, err
	}
	key, err := idParameter(c, "key_id", "key_")
	if err != nil {
		return q, false, err
	}
	q.Assistant, q.Key = assistants.AssistantID(assistant), assistants.KeyID(key)
	if q.From, err = timeParameter(c, "from"); err != nil {
		return q, false, err
	}
	if q.To, err = timeParameter(c, "to"); err != nil {
		return q, false, err
	}
	if q.From.IsZero() {
		end := q.To
		if end.IsZero() {
			end = a.Now()
		}
		q.From = end.Add(-defaultUsage)
	}
	for _, name := range c.QueryArray("by") {
		switch name {
		case "assistant":
			q.ByAssistant = true
		case "key":
			q.ByKey = true
		default:
			return q, false, apierr.Invalid("by", "by must be assistant or key.")
		}
	}
	byDay, err = choice(c, "step", "hour", "day")
	return q, byDay, err
}
