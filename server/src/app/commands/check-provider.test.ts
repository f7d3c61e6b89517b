import { readFileSync } from "node:fs";
import { findDeadPort, listen, serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import { createProvider } from "../../../../examples/provider/provider.mjs";
import { checkProviderCommand } from "./check-provider.ts";

async function run(...args: string[]) {
  const lines: string[] = [];
  const code = await checkProviderCommand(args, (line) => lines.push(line));
  return { code, lines, text: lines.join("\n") };
}

async function startProvider(): Promise<string> {
  return (await listen(createProvider({ key: "s3cret-key" }))).url;
}

describe("trunkline check-provider", () => {
  it("prints a line for each finding and ends with 0 when all is well", async () => {
    const url = `${await startProvider()}/v1/generate`;
    const { code, lines, text } = await run(url, "--key", "s3cret-key", "--streaming");
    expect(code).toBe(0);
    expect(lines[0]).toBe(`Checking ${url} as a text model.`);
    expect(lines).toContain("✓ reachable: The endpoint can be reached.");
    expect(lines).toContain('✓ streaming-end: The stream ends with `"done": true`.');
    expect(lines.at(-1)).toMatch(/^Passed: 18 findings, \d warnings?\.$/);
    expect(text).not.toContain("s3cret-key");
  });

  it("says that streaming was not checked", async () => {
    const url = `${await startProvider()}/v1/generate`;
    for (const flags of [[], ["--no-streaming"]]) {
      const { code, lines } = await run(url, "--key", "s3cret-key", ...flags);
      expect(code).toBe(0);
      expect(lines.at(-1)).toContain("Streaming was not checked: add --streaming.");
    }
  });

  it("checks pictures and sounds, with the key in x-api-key", async () => {
    const url = await startProvider();
    for (const type of ["image", "audio"]) {
      const flags = ["--key", "s3cret-key", "--auth", "x-api-key", "--type", type];
      const { code, lines } = await run(`${url}/${type}/v1/generate`, ...flags);
      expect(code).toBe(0);
      expect(lines).toContain(`✓ output-form: The output has the form of ${type} models.`);
    }
  });

  it("ends with 1 when something failed", async () => {
    const { code, text } = await run(`${await startProvider()}/v1/generate`, "--key", "wrong-key");
    expect(code).toBe(1);
    expect(text).toContain("✗ plain-answer: A plain request was not answered: it refused the credential with 401");
    expect(text).toMatch(/Failed: 1 of 2 findings must be put right, 0 warnings\.$/);
  });

  it("ends with 1 when the endpoint can't be reached", async () => {
    const { code, text } = await run(`http://127.0.0.1:${await findDeadPort()}/v1/generate`);
    expect(code).toBe(1);
    expect(text).toContain("✗ reachable: The endpoint can't be reached: nothing listens at its address.");
  });

  it("calls a model of another format in that format", async () => {
    const fixture = (name: string) =>
      readFileSync(new URL(`../../../../packages/providers/src/formats/gemini/fixtures/${name}`, import.meta.url));
    const { url } = await serveHttp(({ url: path = "" }, response) => {
      if (!path.startsWith("/v1beta/models/flash:")) response.writeHead(404);
      response.end(fixture(path.includes("stream") ? "stream-text.sse" : "whole-text.json"));
    });
    const flags = ["--wire", "gemini", "--model", "flash", "--key", "s3cret-key", "--streaming"];
    const { code, lines, text } = await run(url, ...flags);
    expect(code).toBe(0);
    expect(lines).toContain("✓ streaming: The answer is streamed in 3 pieces.");
    expect(lines).toContain("! wrong-credential: A wrong key was answered like the right one.");
    expect(lines).toContain("✓ wrong-model: An unknown model is refused.");
    expect(text).not.toContain("s3cret-key");
  });

  it("explains itself", async () => {
    const { code, text } = await run("--help");
    expect(code).toBe(0);
    expect(text).toContain("trunkline check-provider <url>");
  });

  it.each([
    ["no URL", [], "Give its URL"],
    ["two URLs", ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b"], "Give one URL"],
    ["something that is no URL", ["localhost"], "The endpoint must be"],
    ["another scheme", ["ftp://127.0.0.1/"], "http or https"],
    ["an unknown flag", ["http://127.0.0.1:1/", "--fast"], "--fast"],
    ["an unknown type", ["http://127.0.0.1:1/", "--type", "video"], "text, image, audio, multimodal"],
    ["a wire without a model", ["http://127.0.0.1:1/", "--wire", "openai"], "belong together"],
    ["a model without a wire", ["http://127.0.0.1:1/", "--model", "x"], "belong together"],
    ["an unknown wire", ["http://127.0.0.1:1/", "--wire", "morse"], "--wire must be one of"],
    [
      "a type that the wire has not",
      ["http://127.0.0.1:1/", "--wire", "cohere", "--model", "x", "--type", "image"],
      "text, multimodal, embedding",
    ],
    ["an unknown auth", ["http://127.0.0.1:1/", "--key", "k", "--auth", "basic"], "bearer, x-api-key, none"],
    ["a flag without its value", ["http://127.0.0.1:1/", "--key"], "--key"],
    ["an empty key", ["http://127.0.0.1:1/", "--key", ""], "--key is empty"],
    ["an auth without a key", ["http://127.0.0.1:1/", "--auth", "bearer"], "needs a --key"],
    ["a key for no auth", ["http://127.0.0.1:1/", "--key", "k", "--auth", "none"], "exclude each other"],
  ])("ends with 2 and its help when it is given %s", async (_what, args, words) => {
    const { code, lines, text } = await run(...args);
    expect(code).toBe(2);
    expect(lines[0]).toContain(words);
    expect(text).toContain("trunkline check-provider <url>");
  });
});
