import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { expect } from "vitest";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { expectSoundLedger } from "../support/ledger-state.ts";
import type { Answer } from "../support/started-service.ts";
import { comparedHeaders, Normaliser } from "./normalise.ts";
import { type FormatMix, type ReplayRequest, writeRequests } from "./requests.ts";
import { canonicalJson, type ScriptedProvider, startScriptedProvider } from "./scripted-provider.ts";
import { type CallerName, type Setting, startSetting } from "./setting.ts";

/** What is compared of one request, with placeholders for ids and times. */
interface Outcome {
  /** One readable line: number, label, status, cost, model, and a hash of all the rest. */
  readonly line: string;
  readonly compared: Readonly<Record<string, string>>;
}

/** How long passes between two requests. */
const PAUSE_MS = 250;
/** After how many requests outcomes are stored, so that other accounts learn from them. */
const SYNC_EVERY = 100;
/** How many differences are shown in full. */
const SHOWN = 3;

/**
 * Sends the requests of a part one after the other and compares what came of them with the recording.
 * With REPLAY_RECORD=yes the recording is written anew; REPLAY_FOLDER names a folder that all that is compared is
 * written into, one file per request.
 */
export async function expectAsRecorded(name: string, mix: FormatMix): Promise<void> {
  const outcomes = await replay(name, mix);
  const lines = outcomes.map(({ line }) => line);
  const folder = process.env.REPLAY_FOLDER;
  if (folder !== undefined) await writeOutcomes(join(folder, name), outcomes);
  const file = fileURLToPath(new URL(`recorded/${name}.txt`, import.meta.url));
  if (process.env.REPLAY_RECORD === "yes") return writeFile(file, `${lines.join("\n")}\n`);
  const recorded = (await readFile(file, "utf8")).trimEnd().split("\n");
  const different = outcomes.filter(({ line }, place) => line !== recorded[place]);
  const shown = different.slice(0, SHOWN).map(({ line, compared }) => `${line}\n\n${show(compared)}`);
  expect(different.map(({ line }) => line).join("\n"), shown.join("\n\n")).toBe(
    recorded.filter((line, place) => line !== lines[place]).join("\n"),
  );
  expect(recorded).toHaveLength(lines.length);
}

async function replay(name: string, mix: FormatMix): Promise<Outcome[]> {
  const clock = new ManualClock();
  const provider = await startScriptedProvider(clock);
  const setting = await startSetting(clock, provider.url);
  const normaliser = new Normaliser();
  const outcomes: Outcome[] = [];
  try {
    for (const [place, request] of writeRequests(name, mix).entries()) {
      outcomes.push(await replayOne(setting, provider, normaliser, request, place + 1));
      clock.advance(PAUSE_MS);
      if (outcomes.length % SYNC_EVERY === 0) await setting.service.services.routing.outcomeSync.flush();
    }
    return [...outcomes, ...(await summarise(setting))];
  } finally {
    await setting.service.stop();
    await provider.close();
  }
}

async function replayOne(
  setting: Setting,
  provider: ScriptedProvider,
  normaliser: Normaliser,
  request: ReplayRequest,
  place: number,
): Promise<Outcome> {
  const { service } = setting;
  setting.setDraw(request.draw);
  const key = setting.keys.get(request.caller) ?? "";
  const answer = await service.call(request.method, request.path, request.body, {
    key: null,
    headers: { ...credentialOf(request, key), ...request.headers },
  });
  setting.setDraw(0);
  await settle(setting);
  const id = answer.headers.get("x-request-id") ?? "";
  normaliser.nameRequest(id, place);
  const given = request.feedback === undefined ? undefined : await giveFeedback(setting, request, id);
  const record = await service.call("GET", `/v1/requests/${id}`, undefined, {
    key: readerKeyOf(setting, request.caller),
  });
  const normalise = normaliser.begin();
  const compared = {
    request: `${request.method} ${request.path}\n${request.body.slice(0, 2_000)}`,
    answer: normalise(`${answer.status}\n${comparedHeaders(answer.headers)}\n\n${answer.text}`),
    record: normalise(`${record.status}\n${record.text}`),
    calls: normalise(provider.takeCalls().map(canonicalJson).join("\n")),
    ...(given !== undefined && { feedback: normalise(`${given.status}\n${given.text}`) }),
  };
  const { request: _, ...hashed } = compared;
  const { cost = "-", model = "-" } = record.status === 200 ? record.json : {};
  // These answer from the documentation, and would answer otherwise with every change of it.
  expect(["builtin/guide", "builtin/summary"], request.label).not.toContain(model);
  const facts = [answer.status, cost, model ?? "-", hashOf(hashed)];
  return { line: `${String(place).padStart(3, "0")} ${request.label} | ${facts.join(" | ")}`, compared };
}

/** Waits until everything that outlasts the answer is done. */
async function settle({ service: { services } }: Setting): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await services.ledger.settlementWriter.idle();
  await services.lifecycle.backgroundWork.whenIdle();
  await services.ledger.funds.idle();
  // Outcomes are learnt in a turn of their own after the answer.
  await new Promise((resolve) => setImmediate(resolve));
}

function giveFeedback({ service, keys }: Setting, request: ReplayRequest, id: string): Promise<Answer> {
  const key = keys.get(request.caller) ?? "";
  return service.call("POST", `/v1/requests/${id}/feedback`, { score: request.feedback }, { key });
}

/** Each format has its own header for the key. */
function credentialOf({ path }: ReplayRequest, key: string): Record<string, string> {
  if (path.startsWith("/anthropic")) return { "x-api-key": key };
  return path.startsWith("/gemini") ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}

/** A caller without an account has no records: the answer says so. */
function readerKeyOf({ keys }: Setting, caller: CallerName): string {
  return keys.get(caller === "nobody" ? "main" : caller) ?? "";
}

/** What is left at the end: balances, usage, the ledger's sums and its audit. */
async function summarise({ service, customers }: Setting): Promise<Outcome[]> {
  const lines: string[] = [];
  for (const [name, { key }] of customers) {
    for (const path of ["balance", "usage", "usage/breakdown?group_by=model", "usage/breakdown?group_by=task"]) {
      const { text } = await service.call("GET", `/v1/${path}`, undefined, { key });
      lines.push(`end ${name} ${path} | ${text.length > 200 ? hashOf({ text }) : text}`);
    }
  }
  await service.services.routing.outcomeSync.flush();
  await expectSoundLedger(service.database);
  const transfers = await service.database.query<{ kind: string; count: bigint; amount: bigint }>(
    `SELECT kind, count(*) AS count, sum(amount)::bigint AS amount FROM ledger_transfers
     WHERE kind IN ('grant', 'charge') GROUP BY kind ORDER BY kind`,
  );
  for (const { kind, count, amount } of transfers) lines.push(`end transfers ${kind} | ${count} | ${amount}`);
  const requests = await service.database.query<{ status: number; count: bigint; cost: bigint }>(
    "SELECT status, count(*) AS count, sum(cost)::bigint AS cost FROM requests GROUP BY status ORDER BY status",
  );
  for (const { status, count, cost } of requests) lines.push(`end requests ${status} | ${count} | ${cost}`);
  const learnt = await service.database.query<{ source: string; count: bigint; weight: string }>(
    `SELECT source, count(*) AS count, round(sum(weight)::numeric, 6)::text AS weight FROM routing_outcomes
     GROUP BY source ORDER BY source`,
  );
  for (const { source, count, weight } of learnt) lines.push(`end outcomes ${source} | ${count} | ${weight}`);
  const { findings } = await auditLedger(service.database);
  for (const { check, verdict, count } of findings) lines.push(`end audit ${check} | ${verdict} | ${count}`);
  return lines.map((line) => ({ line, compared: { line } }));
}

function hashOf(compared: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(JSON.stringify(compared)).digest("hex").slice(0, 16);
}

async function writeOutcomes(folder: string, outcomes: readonly Outcome[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [place, { line, compared }] of outcomes.entries())
    await writeFile(join(folder, `${String(place + 1).padStart(4, "0")}.txt`), `${line}\n\n${show(compared)}\n`);
}

/** Every text under its name. JSON is laid out, so that two versions of it can be compared line by line. */
function show(compared: Readonly<Record<string, string>>): string {
  return Object.entries(compared)
    .map(([name, text]) => `== ${name}\n${text.split("\n").map(layOut).join("\n")}`)
    .join("\n\n");
}

function layOut(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), undefined, 2);
  } catch {
    return line;
  }
}
