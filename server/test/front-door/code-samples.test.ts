import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeCurlSample, writeReadSample } from "../../../web/src/api/code-samples.ts";
import { type ModelCodeRequest, modelCode } from "../../../web/src/api/model-code.ts";
import { openMember, type TestMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let owner: TestMember;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), "trunkline-samples-"));
  // In place of the `npm install` that a sample asks for.
  await symlink(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(folder, "node_modules"));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Pastes code into a shell, or saves it as a file and runs that. */
async function run(code: string, file: string | undefined, environment: Record<string, string> = {}) {
  if (file !== undefined) await writeFile(join(folder, file), code);
  const command =
    file === undefined
      ? code
      : file.endsWith(".py")
        ? `python3 -m py_compile ${file}`
        : `node_modules/.bin/tsx ${file}`;
  const { stdout } = await promisify(execFile)("sh", ["-c", command], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
  });
  return stdout;
}

/** A new account without credits: the first request must not depend on them. */
async function makeKey(): Promise<string> {
  owner = await openMember(service);
  const { json } = await owner.call("POST", "/v1/keys", { name: "First", scopes: ["inference", "read"] });
  return json.key;
}

const firstRequest = async () => (await owner.call("GET", "/v1/overview")).json.first_request;

describe("the samples for a new key", () => {
  it("are a question, with the key in the environment or filled in", async () => {
    for (const isFilledIn of [false, true]) {
      const key = await makeKey();
      const code = writeCurlSample({ origin: service.url, key: isFilledIn ? key : undefined });
      expect(await run(code, undefined, { TRUNKLINE_KEY: key })).toMatch(/output.*model_used.*cost/s);
      expect(await firstRequest()).toMatchObject({ model: "builtin/guide", status: 200 });
    }
  });

  it("have one that needs no inference", async () => {
    const { json } = await service.call("POST", "/v1/keys", { name: "Reader", scopes: ["read"] });
    const stdout = await run(writeReadSample({ origin: service.url, key: json.key }), undefined);
    expect(JSON.parse(stdout)).toContainEqual({ name: "guide", type: "text" });
  });
});

const FILES: Readonly<Record<string, string | undefined>> = {
  "OpenAI Python": "first.py",
  "OpenAI TypeScript": "first.mts",
  "Trunkline SDK": "own.mts",
};

describe("the code of a model", () => {
  const codeOf = (model: string, key: string | undefined, output: ModelCodeRequest["output"] = "text") =>
    modelCode({ origin: service.url, key, model, input: "text", output });

  it.each(["curl", "OpenAI Python", "OpenAI TypeScript", "Trunkline SDK"])("runs as it is shown: %s", async (label) => {
    const key = await makeKey();
    for (const filledIn of [undefined, key]) {
      const sample = codeOf("auto", filledIn).find((one) => one.label === label);
      if (sample === undefined) throw new Error("There is no such sample.");
      expect(sample.code.includes("tl_")).toBe(filledIn !== undefined);
      const printed = await run(sample.code, FILES[label], { TRUNKLINE_KEY: key });
      // Python's library is not installed here: its code is compiled.
      if (sample.language !== "python") expect(printed.length).toBeGreaterThan(20);
    }
    if (label !== "OpenAI Python") expect(await firstRequest()).toMatchObject({ model: "builtin/guide", status: 200 });
  });

  it("fits a model that draws or speaks", async () => {
    const key = await makeKey();
    const [draws] = codeOf("builtin/sketch", key, "image");
    expect(JSON.parse(await run(draws?.code ?? "", undefined)).data[0]).toBeTypeOf("object");
    const [speaks] = codeOf("builtin/voice", key, "audio");
    await run(speaks?.code ?? "", undefined);
    const file = await readFile(join(folder, "speech.wav"));
    expect(file.subarray(0, 4).toString("latin1"), file.subarray(0, 300).toString("latin1")).toBe("RIFF");
  });
});
