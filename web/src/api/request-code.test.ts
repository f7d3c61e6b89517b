import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type CodedRequest, requestCode } from "./request-code.ts";

/** What breaks code that is put together carelessly. */
const INPUT = [
  "Hello",
  `It's "quoted", and 'again'`,
  "two\nlines\r\nand a\ttab",
  ["$HOME `id` $(id) $", "{process.env.HOME} %s !! \\"].join(""),
  "\\n is no line break, \\' no quote, and \\",
  "''' \"\"\" ```",
  "naïve 日本語 🙂 \u2028 \u0007",
  "EOF\n'; rm -rf /tmp/nothing; echo '",
].join("\n");

const sent = (input: string, path = "/v1/generate"): CodedRequest => ({
  origin: "http://127.0.0.1:8080",
  path,
  body: {
    task: "chat",
    input,
    model: "acme/large",
    parameters: { max_tokens: 100, temperature: 0.2, shout: true, seed: null },
    fallbacks: ["a", "b"],
  },
});

function codeOf(label: string, request: CodedRequest): string {
  const found = requestCode(request).find((code) => code.label === label);
  if (found === undefined) throw new Error(`There is no code in ${label}.`);
  return found.code;
}

const run = (program: string, args: readonly string[], input: string) =>
  execFileSync(program, args, { input, encoding: "utf8", env: { ...process.env, TRUNKLINE_KEY: "the-key" } });

/** A stand-in for curl that prints what it was given. */
const SHELL = `curl() { for last; do :; done; printf '%s' "$last"; }\n`;

/** A stand-in for fetch that prints what it was given and answers nothing. */
const SCRIPT = `globalThis.fetch = async (url, init) => {
  process.stdout.write(JSON.stringify({ url, body: init.body, key: init.headers.Authorization }));
  process.exit(0);
};
`;

const PYTHON = `import urllib.request, sys
def catch(request):
    sys.stdout.write(__import__("json").dumps({
        "url": request.full_url, "body": request.data.decode(), "key": request.headers["Authorization"]}))
    sys.stdout.flush()
    sys.exit(0)
urllib.request.urlopen = catch
`;

describe("a request as code", () => {
  it("sends exactly its body from a shell", () => {
    const printed = run("sh", [], SHELL + codeOf("curl", sent(INPUT)));
    expect(JSON.parse(printed)).toEqual(sent(INPUT).body);
  });

  it("sends exactly its body from TypeScript", () => {
    const printed = JSON.parse(run("node", ["--input-type=module"], SCRIPT + codeOf("TypeScript", sent(INPUT))));
    expect(printed).toMatchObject({ url: "http://127.0.0.1:8080/v1/generate", key: "Bearer the-key" });
    expect(JSON.parse(printed.body)).toEqual(sent(INPUT).body);
  });

  it("sends exactly its body from Python", () => {
    const printed = JSON.parse(run("python3", ["-"], PYTHON + codeOf("Python", sent(INPUT))));
    expect(printed).toMatchObject({ url: "http://127.0.0.1:8080/v1/generate", key: "Bearer the-key" });
    expect(JSON.parse(printed.body)).toEqual(sent(INPUT).body);
  });

  it("reads a stream piece by piece, and whole answers at once", () => {
    const streamed = sent("Hello", "/v1/stream");
    expect(codeOf("curl", streamed)).toContain("curl -N ");
    expect(codeOf("TypeScript", streamed)).toContain("part.delta");
    expect(codeOf("Python", streamed)).toContain('part["delta"]');
    expect(codeOf("TypeScript", sent("Hello"))).toContain("await response.json()");
    expect(codeOf("Python", sent("Hello"))).toContain("json.load(response)");
  });

  it("leaves the key to the environment", () => {
    for (const { code } of requestCode(sent("Hello"))) expect(code).toContain("TRUNKLINE_KEY");
  });
});
