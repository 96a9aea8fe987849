package vector

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"footnote/assistants"

	"pgregory.net/rapid"
)

func TestABlobGivesBackTheDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []assistants.Point
		for i, text := range rapid.SliceOfN(rapid.StringN(0, 200, -1), 0, 6).Draw(t, "texts") {
			points = append(points, assistants.Point{ChunkID: assistants.ChunkID(fmt.Sprintf("chunk_%d", i)), Index: i, Text: text})
		}
		want := analyse(assistants.Document{ID: "d", Name: rapid.String().Draw(t, "name")}, 1, points)
		got := document{id: "d", version: 1}
		if err := got.decode(want.encode()); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("\n got %v\nwant %v", got, want)
		}
	})
}

func FuzzDecodeNeverTrustsABlob(f *testing.F) {
	d := analyse(assistants.Document{ID: "d", Name: "Notes.md"}, 1, []assistants.Point{
		{ChunkID: "chunk_a", Index: 0, Text: "apples and pears"}, {ChunkID: "chunk_b", Index: 1, Text: "Kündigung 年假 apples"},
	})
	f.Add(d.encode())
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x07, 0})
	f.Fuzz(func(t *testing.T, blob []byte) {
		var d document
		if d.decode(blob) != nil {
			return
		}
		for _, e := range d.terms {
			for i, o := range e.in {
				if int(o.chunk) >= len(d.chunks) || i > 0 && o.chunk <= e.in[i-1].chunk {
					t.Fatalf("occurrence %+v in %d chunks", o, len(d.chunks))
				}
			}
		}
		var again document
		if err := again.decode(d.encode()); err != nil || !reflect.DeepEqual(again, d) {
			t.Fatalf("read again: %v", err)
		}
	})
}

func TestTheChecksumCoversTheColumns(t *testing.T) {
	d := document{id: "d1", tenant: "t", collection: "c", version: 1}
	blob := d.encode()
	sum := d.checksum(blob)
	others := []document{
		{id: "d2", tenant: "t", collection: "c", version: 1}, {id: "d1", tenant: "u", collection: "c", version: 1},
		{id: "d1", tenant: "t", collection: "e", version: 1}, {id: "d1", tenant: "t", collection: "c", version: 2},
		{id: "d1t", tenant: "", collection: "c", version: 1},
	}
	for _, other := range others {
		if other.checksum(blob) == sum {
			t.Errorf("%+v has the same sum", other)
		}
	}
	if d.checksum(bytes.Repeat(blob, 2)) == sum {
		t.Error("the blob does not count")
	}
}
