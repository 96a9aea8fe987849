package wire

import "testing"

func TestUsageIsReadOfAnswersAndFrames(t *testing.T) {
	const choices = `"choices":[{"index":0,"message":{"content":"x"},"delta":{"content":"x"}}]`
	for usage, want := range map[string]*Usage{
		`{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}`:         {7, 3},
		`{"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":1}}`: {0, 3},
		`{"prompt_tokens":-7,"completion_tokens":1000000000000000000}`:        {0, maxTokens},
		`{"prompt_tokens":1e99}`: nil,
		`{"prompt_tokens":"7"}`:  nil,
		`{"prompt_tokens":7.5}`:  nil,
		`{"prompt_tokens":null}`: nil,
		`{}`:                     nil,
		`null`:                   nil,
		`[7]`:                    nil,
		`"prompt_tokens"`:        nil,
	} {
		for _, body := range []string{`{` + choices + `,"usage":` + usage + `}`, `{"usage":` + usage + `,` + choices + `}`} {
			response, err := ReadResponse([]byte(body))
			if err != nil {
				t.Fatal(err)
			}
			var frame Frame
			if err := ScanFrame([]byte(body), &frame); err != nil {
				t.Fatal(err)
			}
			ofAnswer, ok := response.Usage()
			ofFrame, okFrame := frame.Usage([]byte(body))
			if ok != (want != nil) || okFrame != ok || ofAnswer != ofFrame || want != nil && ofAnswer != *want {
				t.Errorf("%s: %+v %v, in a frame %+v %v", body, ofAnswer, ok, ofFrame, okFrame)
			}
		}
	}
}

func TestAFrameWithoutUsageDoesNotRepeatThatOfTheFrameBefore(t *testing.T) {
	var frame Frame
	for data, want := range map[string]bool{`{"choices":[],"usage":{"prompt_tokens":7}}`: true, `{"choices":[{"index":0,"delta":{"content":"x"}}]}`: false} {
		for range 2 { // the second is read by the template of the first
			if err := ScanFrame([]byte(data), &frame); err != nil {
				t.Fatal(err)
			}
			if _, ok := frame.Usage([]byte(data)); ok != want {
				t.Errorf("%s: %v", data, ok)
			}
		}
	}
}
