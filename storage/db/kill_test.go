package db

const childEnv = "FOOTNOTE_TEST_DB_CHILD"

func writeUntilKilled(path string) int { return 0 }
