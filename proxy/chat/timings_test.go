package chat

import (
	"testing"
	"time"
)

func TestTimingsAreThoseThatAreDocumented(t *testing.T) {
	want := Timings{
		KeepAlive: 15 * time.Second, FirstFrame: 15 * time.Second, StreamTotal: 30 * time.Minute,
	}
	if got := (Timings{}).withDefaults(); got != want {
		t.Errorf("%+v", got)
	}
	if got := (Timings{KeepAlive: time.Second}).withDefaults(); got.KeepAlive != time.Second || got.FirstFrame != want.FirstFrame {
		t.Errorf("%+v", got)
	}
}
