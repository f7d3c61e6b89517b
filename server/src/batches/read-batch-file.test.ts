import { describe, expect, it } from "vitest";
import { LINES_MAX, readBatchFile } from "./read-batch-file.ts";

const line = (more: Record<string, unknown> = {}) =>
  JSON.stringify({ custom_id: "a", method: "POST", url: "/v1/generate", body: { input: "Hello" }, ...more });
const read = (text: string | Buffer) => readBatchFile(Buffer.from(text), "/v1/generate");
const errorsOf = (text: string | Buffer) => {
  const batchFileResult = read(text);
  return "errors" in batchFileResult ? batchFileResult.errors.map(({ line: at, code }) => [at, code]) : [];
};

describe("readBatchFile", () => {
  it("reads line by line with any line ending, and skips empty lines", () => {
    expect(read(`${line()}\r\n\n${line({ custom_id: "b", more: 1 })}\n`)).toEqual({
      lines: [
        { line: 1, customId: "a", body: '{"input":"Hello"}' },
        { line: 3, customId: "b", body: '{"input":"Hello"}' },
      ],
    });
  });

  it.each([
    ["", null, "empty_file"],
    [" \n\n", null, "empty_file"],
    [Buffer.from([0xff, 0xfe]), null, "invalid_file"],
    ["{", 1, "invalid_json_line"],
    ['{"custom_id":"a","custom_id":"b"}', 1, "invalid_json_line"],
    ["null", 1, "invalid_json_line"],
    [line({ custom_id: 5 }), 1, "invalid_custom_id"],
    [line({ custom_id: "x".repeat(257) }), 1, "invalid_custom_id"],
    [line({ custom_id: "a\u0000" }), 1, "invalid_custom_id"],
    [line({ custom_id: "\ud800" }), 1, "invalid_custom_id"],
    [line({ method: "GET" }), 1, "invalid_method"],
    [line({ url: "/v1/image" }), 1, "mismatched_url"],
    [line({ body: "text" }), 1, "invalid_body"],
    [`${line()}\n${line()}`, 2, "duplicate_custom_id"],
  ])("refuses %j", (text, at, code) => {
    expect(errorsOf(text)).toEqual([[at, code]]);
  });

  it("limits the lines of a file, and lists at most 100 errors", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => line({ custom_id: String(at) })).join("\n");
    expect(errorsOf(many(LINES_MAX))).toEqual([]);
    expect(errorsOf(many(LINES_MAX + 1))).toEqual([[null, "too_many_requests"]]);
    expect(errorsOf("x\n".repeat(150))).toHaveLength(100);
  });
});
