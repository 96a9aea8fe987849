package embedded

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"footnote/assistants"
	"footnote/storage/vector"

	"pgregory.net/rapid"
)

func TestABlobGivesBackTheDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []assistants.Point
		for i, text := range rapid.SliceOfN(rapid.StringN(0, 200, -1), 0, 6).Draw(t, "texts") {
			points = append(points, assistants.Point{ChunkID: assistants.ChunkID(fmt.Sprintf("chunk_%d", i)), Index: i, Text: text})
		}
		want := vector.Analyse(assistants.Document{ID: "d", Name: rapid.String().Draw(t, "name")}, 1, points)
		got := vector.Document{ID: "d", Version: 1}
		if err := decodeDocument(&got, encodeDocument(want)); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("\n got %v\nwant %v", got, want)
		}
	})
}

func FuzzDecodeNeverTrustsABlob(f *testing.F) {
	d := vector.Analyse(assistants.Document{ID: "d", Name: "Notes.md"}, 1, []assistants.Point{
		{ChunkID: "chunk_a", Index: 0, Text: "apples and pears"}, {ChunkID: "chunk_b", Index: 1, Text: "Kündigung 年假 apples"},
	})
	f.Add(encodeDocument(d))
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x07, 0})
	f.Fuzz(func(t *testing.T, blob []byte) {
		var d vector.Document
		if decodeDocument(&d, blob) != nil {
			return
		}
		for _, e := range d.Terms {
			for i, o := range e.In {
				if int(o.Chunk) >= len(d.Chunks) || i > 0 && o.Chunk <= e.In[i-1].Chunk {
					t.Fatalf("occurrence %+v in %d chunks", o, len(d.Chunks))
				}
			}
		}
		var again vector.Document
		if err := decodeDocument(&again, encodeDocument(d)); err != nil || !reflect.DeepEqual(again, d) {
			t.Fatalf("read again: %v", err)
		}
	})
}

func TestTheChecksumCoversTheColumns(t *testing.T) {
	d := vector.Document{ID: "d1", Tenant: "t", Collection: "c", Version: 1}
	blob := encodeDocument(d)
	sum := checksumOf(d, blob)
	others := []vector.Document{
		{ID: "d2", Tenant: "t", Collection: "c", Version: 1}, {ID: "d1", Tenant: "u", Collection: "c", Version: 1},
		{ID: "d1", Tenant: "t", Collection: "e", Version: 1}, {ID: "d1", Tenant: "t", Collection: "c", Version: 2},
		{ID: "d1t", Tenant: "", Collection: "c", Version: 1},
	}
	for _, other := range others {
		if checksumOf(other, blob) == sum {
			t.Errorf("%+v has the same sum", other)
		}
	}
	if checksumOf(d, bytes.Repeat(blob, 2)) == sum {
		t.Error("the blob does not count")
	}
}
