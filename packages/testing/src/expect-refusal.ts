import { expect } from "vitest";
import type { RawAnswer } from "./raw-connection.ts";

/** The fields of a refusal besides its message. */
export interface RefusalDetails {
  readonly param?: string;
  readonly message?: RegExp;
  readonly [more: string]: unknown;
}

/** Expects the one form of every error: these fields, no others, and the same id in body and header. */
export function expectRefusal(answer: RawAnswer, status: number, type: string, details: RefusalDetails = {}): void {
  const { message = /\S/, ...more } = details;
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json\b/);
  const requestId = answer.headers.get("x-request-id");
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  // The safety check names the places where the finding is in a text of its own.
  const places = answer.json.error.spans === undefined ? {} : { spans: expect.any(Array) };
  expect(answer.json).toEqual({
    error: {
      message: expect.stringMatching(message),
      code: status,
      type,
      request_id: requestId,
      ...(type.startsWith("unsafe_") ? places : {}),
      ...more,
    },
  });
  // A sentence that says what to do begins and ends as one.
  expect(answer.json.error.message).toMatch(/^[\p{Lu}`"].*[.?!]$/su);
}
