import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";
import { CLIENTS } from "./clients.ts";
import { ALL_FEATURES } from "./features.ts";
import { type Cell, tryCell } from "./try-cell.ts";
import { PROVIDERS } from "./upstreams.ts";
import { keyOf, writeMatrix } from "./write-matrix.ts";

const PAGE = new URL("../../../docs/compatibility.md", import.meta.url);
const START = "<!-- matrix -->\n";
const END = "<!-- end of matrix -->";

let service: StartedService;
let upstream: Upstream;
const matrix = new Map<string, Cell>();

beforeAll(async () => {
  [service, upstream] = await Promise.all([startService(), startUpstream()]);
  for (const { wire, base, model } of PROVIDERS) {
    const endpoint = `${upstream.url}${base}`;
    await registerUpstream(service, { wire, name: `matrix-${wire}`, endpoint }, { upstream_model: model });
  }
});
afterAll(async () => {
  await service.stop();
  await upstream.close();
});

describe("nothing is lost in silence between", () => {
  it.each(
    CLIENTS.flatMap((client) =>
      PROVIDERS.map((provider) => ({ client, provider, names: `${client.name} and ${provider.name}` })),
    ),
  )("clients and providers that speak $names", async ({ client, provider }) => {
    for (const feature of ALL_FEATURES) {
      const cell = await tryCell(service, upstream, client, provider, feature);
      matrix.set(keyOf(client.name, provider.wire, feature), cell);
    }
  });
});

it("the matrix in the documentation is what was just seen", async () => {
  const page = await readFile(PAGE, "utf8");
  const start = page.indexOf(START) + START.length;
  const end = page.indexOf(END);
  const written = `${page.slice(0, start)}\n${writeMatrix(matrix)}\n${page.slice(end)}`;
  if (process.env.WRITE_MATRIX !== undefined) await writeFile(PAGE, written);
  const compact = (text: string) => text.replace(/[ -]+/g, " ");
  expect(compact(await readFile(PAGE, "utf8"))).toBe(compact(written));
});
