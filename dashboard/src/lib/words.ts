import { ApiError } from "../api/client";
import { t } from "./strings";

/** What an error says to a person. It is never empty. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError && error.code === "unreachable") return t.problem.unreachable;
  if (error instanceof ApiError && error.code === "interrupted") return t.problem.interrupted;
  return (error instanceof Error && error.message) || t.problem.failed;
}
