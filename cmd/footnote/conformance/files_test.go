package conformance

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// A filed is what an SDK shows of a scenario on files and vector stores.
type filed struct {
	Status, Name, Kept, Code, Message, Content string
	Raw                                        string
	Metadata                                   []map[string]string
	Attributes                                 map[string]any
	Found                                      [][]any
	Completed, Total                           int
	Deleted, Listed                            []bool
	Names                                      []any
	Twice                                      bool
	Error                                      map[string]any
}

// TestUnchangedSDKsSearchVectorStores lets the helpers of each SDK upload files, wait for
// them and search them: only the base URL is another one.
func TestUnchangedSDKsSearchVectorStores(t *testing.T) {
	for name, install := range chosen(scripted) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, nil)
			got := run[filed](t, install(t), "files", map[string]string{"BASE_URL": p.url + "/v1", "API_KEY": adminKey})
			for _, scenario := range []string{"whole", "upload_and_poll", "batch", "failed", "filtered", "paged"} {
				if g, ok := got[scenario]; !ok || g.Error != nil {
					t.Errorf("%s: %v", scenario, g.Error)
				}
			}
			whole := got["whole"]
			if whole.Status != "completed" || whole.Completed != 1 || whole.Total != 1 || whole.Name != "renamed" || whole.Kept != "whole.md" ||
				!slices.Equal(whole.Deleted, []bool{true, true, true}) || !strings.Contains(whole.Content, "closes at nine") {
				t.Errorf("from the upload to the deletion: %+v", whole)
			}
			if want := (map[string]any{"year": 2026.0, "draft": false, "town": "Kiel"}); !maps.Equal(whole.Attributes, want) {
				t.Errorf("attributes %v, want %v", whole.Attributes, want)
			}
			if !strings.HasPrefix(whole.Raw, "# ") || !strings.HasSuffix(whole.Raw, "closes at nine.\n") {
				t.Errorf("the bytes of the file are %q", whole.Raw)
			}
			if m := whole.Metadata; len(m) != 2 || !maps.Equal(m[0], map[string]string{"project": "towns"}) || !maps.Equal(m[1], map[string]string{"project": "harbours"}) {
				t.Errorf("metadata %v", m)
			}
			if len(whole.Found) != 1 || whole.Found[0][0] != "whole.md" || !strings.Contains(whole.Found[0][1].(string), "closes at nine") || whole.Found[0][2] != true {
				t.Errorf("found: %v", whole.Found)
			}
			if g := got["upload_and_poll"]; g.Status != "completed" || !slices.Equal(g.Listed, []bool{true}) {
				t.Errorf("upload and poll: %+v", g)
			}
			if g := got["batch"]; g.Status != "completed" || g.Completed != 3 || g.Total != 3 {
				t.Errorf("a batch: %+v", g)
			}
			if g := got["failed"]; g.Status != "failed" || g.Code != "invalid_file" || g.Message == "" {
				t.Errorf("a file without text: %+v", g)
			}
			if g := got["filtered"]; !slices.Equal(g.Names, []any{"2024.md", "2026.md"}) {
				t.Errorf("a filter: %+v", g)
			}
			if g := got["paged"]; g.Twice || !slices.Equal(g.Names, []any{true, true, true}) {
				t.Errorf("pages: %+v", g)
			}
			for scenario, want := range map[string]struct {
				class, code string
				status      float64
			}{
				"second_store": {"BadRequestError", "invalid_value", http.StatusBadRequest},
				"missing":      {"NotFoundError", "not_found", http.StatusNotFound},
				"unsupported":  {"BadRequestError", "unsupported_parameter", http.StatusBadRequest},
			} {
				if e := got[scenario].Error; e["class"] != want.class || e["status"] != want.status || e["code"] != want.code {
					t.Errorf("%s: %v", scenario, e)
				}
			}
		})
	}
}

func TestOpenAIGoSearchesVectorStores(t *testing.T) {
	p := start(t, nil)
	ctx := t.Context()
	client := openai.NewClient(option.WithBaseURL(p.url+"/v1"), option.WithAPIKey(adminKey), option.WithHTTPClient(httpClient(t)), option.WithMaxRetries(0))
	store, err := client.VectorStores.New(ctx, openai.VectorStoreNewParams{Name: openai.String("go")})
	if err != nil {
		t.Fatal(err)
	}
	file, err := client.VectorStores.Files.UploadAndPoll(ctx, store.ID, openai.FileNewParams{
		File: openai.File(strings.NewReader("# Go\n\nThe ferry leaves at seven.\n"), "ferry.md", "text/markdown"), Purpose: openai.FilePurposeAssistants,
	}, 20)
	if err != nil || file.Status != openai.VectorStoreFileStatusCompleted {
		t.Fatalf("upload and poll: %+v, %v", file, err)
	}
	found, err := client.VectorStores.Search(ctx, store.ID, openai.VectorStoreSearchParams{Query: openai.VectorStoreSearchParamsQueryUnion{OfString: openai.String("When does the ferry leave?")}})
	if err != nil || len(found.Data) != 1 || found.Data[0].Filename != "ferry.md" || !strings.Contains(found.Data[0].Content[0].Text, "at seven") {
		t.Errorf("found: %+v, %v", found, err)
	}
	files := client.Files.ListAutoPaging(ctx, openai.FileListParams{})
	if !files.Next() || files.Current().ID != file.ID || files.Next() || files.Err() != nil {
		t.Errorf("files: %+v, %v", files.Current(), files.Err())
	}
	_, err = client.VectorStores.Get(ctx, "vs_of_another_server")
	var refused *openai.Error
	if !errors.As(err, &refused) || refused.StatusCode != http.StatusNotFound {
		t.Errorf("a vector store that is not there: %v", err)
	}
}
