import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CODE_SAMPLES, type CodeSample, CURL_SAMPLE, writeReadSample } from "../../../web/src/api/code-samples.ts";
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

/** What the page says to do with a sample: it is pasted into a shell, or saved under a name and run. */
async function run(sample: CodeSample, key: string | undefined, environment: Record<string, string>) {
  const code = sample.write({ origin: service.url, key });
  const command = sample.run ?? code;
  const file = sample.run?.split(" ").at(-1);
  if (file !== undefined) await writeFile(join(folder, file), code);
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

describe("the samples", () => {
  it("are in common languages, curl first, and for a common library", () => {
    expect(CODE_SAMPLES.map(({ label }) => label)).toEqual(["curl", "TypeScript", "Python", "OpenAI SDK"]);
    expect(CODE_SAMPLES[0]).toBe(CURL_SAMPLE);
  });

  it("have one that needs no inference", async () => {
    const { json } = await service.call("POST", "/v1/keys", { name: "Reader", scopes: ["read"] });
    const { stdout } = await promisify(execFile)("sh", ["-c", writeReadSample({ origin: service.url, key: json.key })]);
    expect(JSON.parse(stdout)).toContainEqual({ name: "guide", type: "text" });
  });
});

const firstRequest = async () => (await owner.call("GET", "/v1/overview")).json.first_request;

describe.each(CODE_SAMPLES)("the sample for $label", (sample) => {
  it("runs as it is shown, with the key in the environment, and gets an answer", async () => {
    const key = await makeKey();
    expect(await run(sample, undefined, { TRUNKLINE_KEY: key })).toMatch(/output.*model_used.*cost/s);
    expect(await firstRequest()).toMatchObject({ model: "builtin/guide", status: 200 });
    expect(sample.write({ origin: service.url, key: undefined })).not.toContain("tl_");
  });

  it("runs with the key filled in", async () => {
    const key = await makeKey();
    expect(await run(sample, key, {})).toMatch(/output.*model_used.*cost/s);
    expect(await firstRequest()).toMatchObject({ model: "builtin/guide", status: 200 });
  });
});
