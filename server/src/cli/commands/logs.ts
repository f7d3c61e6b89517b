import { setTimeout as sleep } from "node:timers/promises";
import type { Client, ItemOf, QueryOf } from "@trunkline/sdk";
import { type Command, numberOf, takeWords } from "../command.ts";
import { formatCredits, formatTime, oneLine, pad } from "../table.ts";

type Request = ItemOf<"GET /v1/requests">;
type Query = QueryOf<"GET /v1/requests">;

const PAGE = 100;
const FOLLOW_MS = 2_000;
/** How many requests are known to have been shown: many more than end between two looks. */
const REMEMBERED = 10_000;

/** `trunkline logs` */
export const logsCommand: Command = {
  help: `Shows what happened to requests, the newest last.

  trunkline logs [-f] [--limit N] [--status S] [--model M] [--key ID] [--json]

  -f, --follow  goes on with requests as they end, until Ctrl-C
  --limit N     how many past ones; default: 20
  --status S    ok, error, refused, a class such as 5xx, or a status
  --model M     a model's name, or provider/name
  --json        a line of JSON for each request`,
  options: {
    follow: { type: "boolean", short: "f" },
    limit: { type: "string" },
    status: { type: "string" },
    model: { type: "string" },
    key: { type: "string" },
    json: { type: "boolean" },
  },
  async run({ words, text, client, isSet, print }) {
    takeWords(words, 0);
    const limit = numberOf("limit", text("limit")) ?? 20;
    const api = await client();
    const query: Query = { status: text("status"), model: text("model"), key: text("key") };
    const show = (requests: readonly Request[]) => {
      for (const request of requests.toReversed()) print(isSet("json") ? JSON.stringify(request) : lineOf(request));
    };

    const known = await newest(api, query, Math.max(limit, PAGE));
    const past = known.slice(0, limit);
    if (past.length === 0 && !isSet("follow") && !isSet("json")) return print("There are no such requests.");
    if (!isSet("json")) print(HEADING);
    show(past);
    const seen = new Set(known.map(({ id }) => id));
    while (isSet("follow")) {
      await sleep(FOLLOW_MS);
      const fresh = await unseen(api, query, seen);
      for (const { id } of fresh) seen.add(id);
      for (const id of seen) {
        if (seen.size <= REMEMBERED) break;
        seen.delete(id);
      }
      show(fresh);
    }
  },
};

/** The newest requests, newest first. */
async function newest(client: Client, query: Query, count: number): Promise<Request[]> {
  const found: Request[] = [];
  for await (const request of client.items("GET /v1/requests", { query: { ...query, limit: PAGE } })) {
    found.push(request);
    if (found.length >= count) break;
  }
  return found;
}

/** What ended since the last look. Requests are listed by their arrival, so one that took long is found among older ones. */
async function unseen(client: Client, query: Query, seen: ReadonlySet<string>): Promise<Request[]> {
  const found: Request[] = [];
  let looked = 0;
  for await (const request of client.items("GET /v1/requests", { query: { ...query, limit: PAGE } })) {
    looked++;
    if (!seen.has(request.id)) found.push(request);
    // What follows a page with known ones is known.
    if (looked % PAGE === 0 && found.length < looked) break;
  }
  return found;
}

/** The widths are fixed, as what comes later is not known yet. */
function line(time: string, status: string, ms: string, tokens: string, credits: string, model: string, id: string) {
  const cells = [pad(time, 19), pad(status, 6), pad(ms, 7, true), pad(tokens, 13, true), pad(credits, 12, true)];
  return `${cells.join("  ")}  ${pad(model, 30)}  ${id}`;
}

const HEADING = line("TIME", "STATUS", "MS", "TOKENS IN/OUT", "CREDITS", "MODEL OR ERROR", "ID");

function lineOf(request: Request): string {
  return line(
    formatTime(request.created_at),
    String(request.status),
    String(Math.round(request.latency_ms)),
    `${request.input_tokens}/${request.output_tokens}`,
    formatCredits(request.cost),
    oneLine(request.error_type ?? request.model ?? ""),
    request.id,
  );
}
