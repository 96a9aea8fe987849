package ingestion

// doomedDir is the environment variable that makes a test process live until killed.
const doomedDir = "FOOTNOTE_TEST_DOOMED_DIR"

func liveUntilKilled(dir string) {}
