import { isObject } from "@trunkline/core/json-object.ts";
import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { pick } from "../compose-rows.ts";
import { type CollectedRow, type Repositories, sample } from "./collected-row.ts";

// Orders to an assistant by two teams, in mails and in results of tools by two others, and the same documents without.

const SPIKEE = "ReversecLabs/spikee";
const SPIKEE_SEEDS = ["cybersec-2026-01", "llm-mailbox", "sysmsg-extraction-2025-04", "investment-advice"];
const TASK_TRACKER = "microsoft/TaskTracker";
const MAILS = "microsoft/llmail-inject-challenge-analysis";
const SHOP = "sierra-research/tau-bench";

/** Few of the orders are in the languages that spikee adds, as they would be most of them. */
const ADDED_LANGUAGES_SHARE = 0.15;
/** What is an order in a document is a request like any other from a user. */
const PLAIN_WRAPPERS = /^(?:no-jailbreak|academic|mission|test|challenge)$/;
const SPIKEE_ORDERS = 1_500;
const SPIKEE_REQUESTS = 900;
const TASK_TRACKER_ORDERS = 1_500;
const SHOP_DOCUMENTS = 900;

export async function collectDocuments(repositories: Repositories): Promise<CollectedRow[]> {
  const random = randomFromSeed(41);
  const mails = await readMails(repositories);
  const results = await readToolResults(repositories);
  const spikee = sample(await spikeeOrders(repositories, () => true), SPIKEE_ORDERS, 42);
  const tasks = await taskTrackerOrders(repositories);
  return [
    ...mails.map((text): CollectedRow => ({ text, label: "benign", category: "mail", source: MAILS })),
    ...results.map((text): CollectedRow => ({ text, label: "benign", category: "tool_output", source: SHOP })),
    ...spikee.map((order) => insertOrder(pick(mails, random), order, SPIKEE, random)),
    ...tasks.map((order) => insertOrder(pick(results, random), order, TASK_TRACKER, random)),
  ];
}

/** The same orders of spikee, and others, as a user says them. */
export async function collectDirectOrders(repositories: Repositories): Promise<CollectedRow[]> {
  const all = await spikeeOrders(repositories, (wrapper) => !PLAIN_WRAPPERS.test(wrapper));
  const orders = sample(all, SPIKEE_REQUESTS, 43);
  return orders.map((text) => ({ text, label: "injection", category: "direct_order", source: SPIKEE }));
}

/** The tasks that were put into documents and the wishes behind the orders, as a user says them: requests like any other. */
export async function collectPlainTasks(repositories: Repositories): Promise<CollectedRow[]> {
  const advice = await readJsonLines(repositories, spikeeFile("investment-advice", "instructions"));
  const rowsOf = (texts: readonly string[], source: string) =>
    [...new Set(texts)].map((text): CollectedRow => ({ text, label: "benign", category: "plain_task", source }));
  return [
    ...rowsOf(
      advice.map(({ instruction }) => String(instruction)),
      SPIKEE,
    ),
    ...rowsOf(await taskTrackerLines(repositories, "translated_secondary_tasks"), TASK_TRACKER),
  ];
}

async function readMails(repositories: Repositories): Promise<string[]> {
  const mails: string[] = [];
  for (const name of ["fp_tests", "level1", "level2", "level3", "level4"]) {
    const file = await repositories.json(MAILS, `defense_eval/emails_data/${name}.json`);
    if (isObject(file) && Array.isArray(file.emails)) mails.push(...file.emails.map(String));
  }
  return [
    ...new Set(mails.map((mail) => mail.replace(/\s*Body:\s*/, "\n\n").replace("Subject of the email", "Subject"))),
  ];
}

/** Users, orders and bookings of a shop and an airline, as its tools return them. */
async function readToolResults(repositories: Repositories): Promise<string[]> {
  const records: unknown[] = [];
  for (const path of [
    "airline/data/reservations",
    "airline/data/users",
    "retail/data/orders",
    "retail/data/products",
  ]) {
    const file = await repositories.json(SHOP, `tau_bench/envs/${path}.json`);
    if (isObject(file)) records.push(...sample(Object.values(file), SHOP_DOCUMENTS / 3, 44));
  }
  return sample(records, SHOP_DOCUMENTS, 45).map((record, at) =>
    JSON.stringify(record, undefined, at % 3 === 0 ? 2 : 0),
  );
}

async function spikeeOrders(repositories: Repositories, isWanted: (wrapper: string) => boolean): Promise<string[]> {
  const random = randomFromSeed(46);
  const orders: string[] = [];
  for (const seeds of SPIKEE_SEEDS) {
    const instructions = await readJsonLines(repositories, spikeeFile(seeds, "instructions"));
    const wrappers = await readJsonLines(repositories, spikeeFile(seeds, "jailbreaks"));
    for (const { text, lang, jailbreak_type: wrapper } of wrappers) {
      if (!isWanted(String(wrapper)) || (lang !== undefined && random() > ADDED_LANGUAGES_SHARE)) continue;
      const alike = instructions.filter((instruction) => instruction.lang === lang);
      for (const { instruction } of sample(alike, 12, Math.floor(random() * 1e6)))
        orders.push(String(text).replaceAll("<INSTRUCTION>", () => String(instruction)));
    }
  }
  return [...new Set(orders)];
}

function spikeeFile(seeds: string, name: string): string {
  return `spikee/data/workspace/datasets/seeds-${seeds}/${name}.jsonl`;
}

async function readJsonLines(repositories: Repositories, path: string): Promise<Record<string, unknown>[]> {
  const lines = await repositories.lines(SPIKEE, path);
  return lines.map((line): unknown => JSON.parse(line)).filter((value) => isObject(value));
}

/** A sentence that wants attention, and a task that has nothing to do with the document. */
async function taskTrackerOrders(repositories: Repositories): Promise<string[]> {
  const random = randomFromSeed(47);
  const read = (name: string) => taskTrackerLines(repositories, name);
  const openings = [...(await read("saved_injections")), ...(await read("saved_injections_test"))];
  const tasks = await read("translated_secondary_tasks");
  const english = tasks.filter((task) => /^[\x20-\x7e]+$/.test(task));
  return Array.from({ length: TASK_TRACKER_ORDERS }, () => {
    const task = pick(random() < 0.5 && english.length > 0 ? english : tasks, random);
    return random() < 0.75 ? `${pick(openings, random)} ${task}` : task;
  });
}

async function taskTrackerLines(repositories: Repositories, name: string): Promise<string[]> {
  const lines = await repositories.lines(TASK_TRACKER, `task_tracker/dataset_creation/datasets/${name}.txt`);
  return lines.map((line) => line.trim());
}

/** Puts an order at the end of a sentence, or of a value of JSON. */
function insertOrder(document: string, order: string, source: string, random: () => number): CollectedRow {
  const isJson = document.startsWith("{") || document.startsWith("[");
  const words = isJson ? JSON.stringify(order).slice(1, -1) : order;
  const places = [...document.matchAll(isJson ? /[a-zA-Z]{3}(?=",|"\n|"\})/g : /[.!?](?=\s|$)/g)].map(
    (match) => match.index + match[0].length,
  );
  const at = places.length === 0 ? document.length : pick(places, random);
  const gap = isJson || random() < 0.5 ? " " : "\n\n";
  const text = `${document.slice(0, at)}${gap}${words}${document.slice(at)}`;
  const start = at + gap.length;
  return {
    text,
    label: "injection",
    category: "indirect/collected",
    source,
    focus: { start, end: start + words.length },
  };
}
