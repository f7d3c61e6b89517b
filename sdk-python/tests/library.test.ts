import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INFERENCE } from "../../sdk/src/client.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../../server/test/support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  [service, provider] = await Promise.all([startService(), startProvider()]);
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

/** Runs Python with the library, and gives all that it printed. Warnings, such as an unclosed connection, are errors. */
function python(...args: string[]): Promise<{ code: number | string; output: string }> {
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: "src",
    PYTHONDONTWRITEBYTECODE: "1",
    TRUNKLINE_URL: service.url,
    TRUNKLINE_KEY: OPERATOR_KEY,
  };
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  return new Promise((resolve, reject) => {
    execFile("python3", ["-W", "error", ...args], { cwd, env }, (error, stdout, stderr) => {
      if (error?.code === "ENOENT") reject(new Error("The tests of the Python library need python3, 3.9 or newer."));
      else resolve({ code: error?.code ?? 0, output: stdout + stderr });
    });
  });
}

describe("the Python library", () => {
  it.each(["tests.test_client", "tests.test_service"])("passes %s", async (name) => {
    const { code, output } = await python("-m", "unittest", name);
    expect(code, output).toBe(0);
    expect(output).toMatch(/^Ran [1-9]\d* tests/m);
    expect(output).not.toContain("skipped");
  });

  it("sends the same operations with an idempotency key as the TypeScript library", async () => {
    const { output } = await python(
      "-c",
      "import json; from trunkline._client import INFERENCE; print(json.dumps(sorted(INFERENCE)))",
    );
    expect(JSON.parse(output)).toEqual([...INFERENCE].toSorted());
  });
});
