import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATOR_KEY, type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "../../web/e2e/chromium.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

let service: StartedService;
/** A user's project: empty, but for the package installed from its tarball. */
let folder: string;

beforeAll(async () => {
  [service, folder] = await Promise.all([startService(), mkdtemp(join(tmpdir(), "trunkline-sdk-"))]);
  await run(process.execPath, ["scripts/build-sdk.mjs", "sdk"], { cwd: ROOT });
  await run("npm", ["pack", join(ROOT, "sdk/dist"), "--pack-destination", folder], { cwd: folder });
  const [tarball = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  await writeFile(join(folder, "package.json"), "{}");
  await run("npm", ["install", "--offline", `./${tarball}`], { cwd: folder });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a file of the user's project. */
async function runFile(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  const env = { PATH: process.env.PATH, TRUNKLINE_URL: service.url, TRUNKLINE_KEY: OPERATOR_KEY };
  const { stdout } = await run(process.execPath, [name], { cwd: folder, env });
  return stdout;
}

/** The type errors of a file of the user's project, with the strictest settings. */
async function typeErrorsOf(name: string, text: string, more: Readonly<Record<string, unknown>>): Promise<string> {
  await writeFile(join(folder, name), text);
  const compilerOptions = { strict: true, noEmit: true, target: "ES2022", skipLibCheck: false, types: [], ...more };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [name] }));
  const compiler = join(ROOT, "node_modules/typescript-7/bin/tsc");
  const failed = await run(process.execPath, [compiler], { cwd: folder }).then(
    () => undefined,
    (error: { stdout: string }) => error,
  );
  return failed?.stdout ?? "";
}

const NODE_TYPES = { module: "NodeNext", typeRoots: [join(ROOT, "node_modules/@types")], types: ["node"] };

describe("the package", () => {
  it("holds the client, its types, a readme and the licence, and needs no other package", async () => {
    const files = await readdir(join(folder, "node_modules/@trunkline/sdk"));
    expect(files).toEqual(expect.arrayContaining(["client.js", "client.cjs", "client.d.ts", "README.md", "LICENSE"]));
    const manifest = JSON.parse(await readFile(join(folder, "node_modules/@trunkline/sdk/package.json"), "utf8"));
    expect(manifest.private).toBeUndefined();
    expect(await readdir(join(folder, "node_modules"))).toEqual([".package-lock.json", "@trunkline"]);
  });

  it("answers to import and to require", async () => {
    const ask = 'createClient({ baseUrl: process.env.TRUNKLINE_URL, key: process.env.TRUNKLINE_KEY }).generate("Hi")';
    const esm = `import { createClient } from "@trunkline/sdk"; console.log((await ${ask}).model)`;
    expect(await runFile("a.mjs", esm)).toBe("builtin/guide\n");
    const cjs = `const { createClient } = require("@trunkline/sdk"); ${ask}.then(({ model }) => console.log(model))`;
    expect(await runFile("b.cjs", cjs)).toBe("builtin/guide\n");
  });

  it("has types for both, and in browsers", async () => {
    const use = 'export const model = createClient().generate("Hi").then((answer): string => answer.model);';
    const good = `import { createClient } from "@trunkline/sdk";\n${use}`;
    expect(await typeErrorsOf("types.mts", good, NODE_TYPES)).toBe("");
    expect(await typeErrorsOf("types.cts", good, NODE_TYPES)).toBe("");
    const browser = { module: "ESNext", moduleResolution: "bundler", lib: ["ES2022", "DOM", "DOM.Iterable"] };
    expect(await typeErrorsOf("types.ts", good, browser)).toBe("");
    const wrong = good.replace('"Hi"', "{ inputs: 7 }");
    expect(await typeErrorsOf("wrong.mts", wrong, NODE_TYPES)).toContain("'inputs' does not exist");
  });
});

describe("the readme", () => {
  it("has examples that are well typed and run", async () => {
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    const [first = "", ...examples] = Array.from(readme.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, code = ""]) => code);
    expect(examples.length).toBeGreaterThan(5);
    const program = [first, ...examples.map((example) => `{\n${example}}`)].join("\n");
    expect(await typeErrorsOf("readme.mts", program, NODE_TYPES)).toBe("");
    const { code } = await build({
      stdin: { contents: program, loader: "ts" },
      write: false,
      format: "esm",
      target: "node20",
    }).then(({ outputFiles }) => ({ code: outputFiles[0]?.text ?? "" }));
    const output = await runFile("readme.mjs", code);
    expect(output).toContain("builtin/guide for 0 credits");
    expect(output).toContain("model_not_found");
  });
});

describe("in a browser, on a page of another site", () => {
  it("asks, streams and throws as anywhere", async () => {
    await writeFile(join(folder, "page.js"), PAGE);
    const { outputFiles } = await build({
      entryPoints: [join(folder, "page.js")],
      bundle: true,
      write: false,
      format: "iife",
    });
    const site = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>Site</title><script>${outputFiles[0]?.text}</script>`);
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const browser = await openChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);
      const { json } = await service.call("POST", "/v1/keys", { name: "page", scopes: ["inference"] });
      const ask = (key: string) =>
        page.evaluate(
          ([baseUrl, secret]) => {
            const { ask } = globalThis as unknown as { ask: (baseUrl: string, key: string) => Promise<unknown> };
            return ask(baseUrl, secret);
          },
          [service.url, key] as const,
        );
      expect(await ask(json.key)).toEqual({
        model: "builtin/guide",
        streamed: expect.stringContaining("Trunkline"),
        refused: "NotFoundError model_not_found",
      });
    } finally {
      await browser.close();
      await new Promise((resolve) => site.close(resolve));
    }
  });
});

const PAGE = `
import { createClient, NotFoundError } from "@trunkline/sdk";
window.ask = async (baseUrl, key) => {
  const client = createClient({ baseUrl, key });
  const { model } = await client.generate("What is Trunkline?");
  let streamed = "";
  for await (const chunk of client.streamChat({ messages: [{ role: "user", content: "What is Trunkline?" }] }))
    streamed += chunk.choices[0]?.delta.content ?? "";
  const refused = await client.generate({ input: "Hi", model: "nobody" }).then(
    () => "answered",
    (error) => error instanceof NotFoundError ? error.name + " " + error.type : String(error),
  );
  return { model, streamed, refused };
};
`;
