import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OPERATOR_KEY, type StartedService, startService } from "../../server/test/support/started-service.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

let service: StartedService;
/** A user's project with the package out of its tarball; what it depends on is that of the workspace. */
let folder: string;

beforeAll(async () => {
  [service, folder] = await Promise.all([startService(), mkdtemp(join(tmpdir(), "trunkline-provider-"))]);
  await run(process.execPath, ["scripts/build-sdk.mjs", "ai-sdk-provider"], { cwd: ROOT });
  await run("npm", ["pack", join(ROOT, "ai-sdk-provider/dist"), "--pack-destination", folder], { cwd: folder });
  const [tarball = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  const place = join(folder, "node_modules/@trunkline/ai-sdk-provider");
  await mkdir(place, { recursive: true });
  await run("tar", ["xzf", tarball, "-C", place, "--strip-components", "1"], { cwd: folder });
  for (const name of ["@ai-sdk", "ai"])
    await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
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

it("the readme's examples are well typed and run with the packed package", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const [first = "", ...examples] = Array.from(readme.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, code = ""]) => code);
  expect(examples).toHaveLength(4);
  const program = [first, ...examples.map((example) => `{\n${example}}`)].join("\n");
  await writeFile(join(folder, "readme.mts"), program);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: "ES2022", module: "NodeNext", skipLibCheck: true },
    ...{ typeRoots: [join(ROOT, "node_modules/@types")], types: ["node"], preserveSymlinks: true },
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["readme.mts"] }));
  const types = await run(process.execPath, [join(ROOT, "node_modules/typescript-7/bin/tsc")], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(types.stdout).toBe("");
  const { outputFiles } = await build({
    stdin: { contents: program, loader: "ts" },
    write: false,
    format: "esm",
    target: "node20",
  });
  const output = await runFile("readme.mjs", outputFiles[0]?.text ?? "");
  expect(output).toContain("{ model: 'builtin/guide', cost: 0 }");
  expect(output).toContain("image/png");
});

it("the package answers to require, with the key of the environment", async () => {
  const program = `const { createTrunkline } = require("@trunkline/ai-sdk-provider");
    const { generateText } = require("ai");
    generateText({ model: createTrunkline({ baseURL: process.env.TRUNKLINE_URL })(), prompt: "Hi" })
      .then(({ providerMetadata }) => console.log(providerMetadata.trunkline.model));`;
  expect(await runFile("a.cjs", program)).toBe("builtin/guide\n");
});
