package front

import (
	"testing"
	"time"
)

func TestTimingsAreThoseThatAreDocumented(t *testing.T) {
	want := Timings{Write: 30 * time.Second, Body: 60 * time.Second, Pace: 10 * time.Second, Upload: 60 * time.Second}
	if got := (Timings{}).WithDefaults(); got != want {
		t.Errorf("%+v", got)
	}
	if got := (Timings{Pace: time.Second}).WithDefaults(); got.Pace != time.Second || got.Write != want.Write {
		t.Errorf("%+v", got)
	}
}
