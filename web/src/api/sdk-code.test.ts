import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { CodedRequest } from "./request-code.ts";
import { sdkCode } from "./sdk-code.ts";

const HERE = new URL(".", import.meta.url).pathname;

/** What breaks code that is put together carelessly. */
const INPUT = `It's "quoted"\n'again' \\n \\ $HOME \`id\` \${x} """ ''' 日本語 🙂 \u2028`;

const chat: CodedRequest = {
  origin: "http://127.0.0.1:8080",
  path: "/v1/chat/completions",
  body: {
    model: "acme/large",
    messages: [
      { role: "system", content: INPUT },
      { role: "user", content: INPUT },
    ],
    temperature: 0.2,
    parallel_tool_calls: false,
    route: "cascade",
    check: { min_length: 5 },
  },
};
const image: CodedRequest = { ...chat, path: "/v1/image", body: { input: INPUT, size: "64x64", route: "hybrid" } };
const speech: CodedRequest = { ...chat, path: "/v1/audio", body: { input: INPUT, model: "voice", format: "wav" } };

function codeOf(label: string, request: CodedRequest): string {
  const found = sdkCode(request).find((code) => code.label === label);
  if (found === undefined) throw new Error(`There is no code in ${label}.`);
  return found.code;
}

const run = (program: string, args: readonly string[], input: string) =>
  execFileSync(program, args, {
    input,
    encoding: "utf8",
    cwd: HERE,
    env: { ...process.env, TRUNKLINE_KEY: "the-key" },
  });

/** A stand-in for fetch that prints what it was given and answers nothing. Imports come before it, but no call does. */
const SCRIPT = `globalThis.fetch = async (url, init) => {
  process.stdout.write(JSON.stringify({ url: String(url), body: init.body, key: new Headers(init.headers).get("authorization") }));
  process.exit(0);
};
`;

/** A stand-in for OpenAI's library that prints what it was given. */
const PYTHON = `import json, sys, types
class Anything:
    def __init__(self, path=""): self.path = path
    def __getattr__(self, name): return Anything(f"{self.path}.{name}".strip("."))
    def __call__(self, **given):
        if self.path == "": return self
        print(json.dumps({"method": self.path, **given})); sys.exit(0)
module = types.ModuleType("openai")
def OpenAI(base_url, api_key):
    assert base_url == "http://127.0.0.1:8080/openai/v1" and api_key == "the-key"
    return Anything()
module.OpenAI = OpenAI
sys.modules["openai"] = module
`;

const sentByScript = (label: string, request: CodedRequest) => {
  const { url, body, key } = JSON.parse(run("node", ["--input-type=module"], SCRIPT + codeOf(label, request)));
  expect(key).toBe("Bearer the-key");
  return { url, body: JSON.parse(body) };
};

describe("a request as code", () => {
  it("sends exactly its body from a shell", () => {
    const shell = `curl() { for last; do :; done; printf '%s' "$last"; }\n`;
    expect(JSON.parse(run("sh", [], shell + codeOf("curl", chat)))).toEqual(chat.body);
  });

  it("sends exactly its body with OpenAI's library for TypeScript", () => {
    expect(sentByScript("TypeScript", chat)).toEqual({
      url: "http://127.0.0.1:8080/openai/v1/chat/completions",
      body: chat.body,
    });
    expect(sentByScript("TypeScript", image)).toEqual({
      url: "http://127.0.0.1:8080/openai/v1/images/generations",
      body: { model: "auto", prompt: INPUT, size: "64x64", route: "hybrid" },
    });
    expect(sentByScript("TypeScript", speech)).toEqual({
      url: "http://127.0.0.1:8080/openai/v1/audio/speech",
      body: { model: "voice", input: INPUT, voice: "default", response_format: "wav" },
    });
  });

  it("sends exactly its body with OpenAI's library for Python, ours as extra fields", () => {
    const { route, check, ...own } = chat.body;
    expect(JSON.parse(run("python3", ["-"], PYTHON + codeOf("Python", chat)))).toEqual({
      method: "chat.completions.create",
      ...own,
      extra_body: { route, check },
    });
  });

  it("names our own library's call", () => {
    expect(codeOf("Trunkline SDK", chat)).toContain("client.chat({");
    expect(codeOf("Trunkline SDK", image)).toContain('client.call("POST /v1/image"');
  });
});
