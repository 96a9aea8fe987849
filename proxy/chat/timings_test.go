package chat

import (
	"testing"
	"time"
)

func TestTimingsAreThoseThatAreDocumented(t *testing.T) {
	want := Timings{
		KeepAlive: 15 * time.Second, FirstFrame: 15 * time.Second, FirstToken: 120 * time.Second, Idle: 120 * time.Second,
		StreamTotal: 30 * time.Minute,
	}
	if got := (Timings{}).withDefaults(); got != want {
		t.Errorf("%+v", got)
	}
	if got := (Timings{Idle: time.Second}).withDefaults(); got.Idle != time.Second || got.FirstToken != want.FirstToken {
		t.Errorf("%+v", got)
	}
}
