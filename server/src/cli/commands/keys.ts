import type { BodyOf, Client, ItemOf } from "@trunkline/sdk";
import { type Command, choiceOf, type Invocation, numberOf, takeWords, UsageError } from "../command.ts";
import { type Column, formatCredits, formatTable, formatTime } from "../table.ts";

type Key = ItemOf<"GET /v1/keys">;
type NewKey = BodyOf<"POST /v1/keys">;

const SCOPES = ["inference", "read", "manage", "billing", "provider", "directory", "admin"] as const;
const PERIODS = ["day", "week", "month", "total"] as const;
const STATES = ["active", "expired", "revoked"] as const;

const COLUMNS: readonly Column<Key>[] = [
  { name: "id", text: ({ id }) => id },
  { name: "name", text: ({ name }) => name },
  { name: "key", text: ({ hint }) => hint },
  { name: "scopes", text: ({ scopes }) => scopes.join(",") },
  { name: "state", text: ({ state }) => state },
  { name: "requests", right: true, text: ({ requests }) => String(requests) },
  { name: "spent", right: true, text: ({ spent }) => formatCredits(spent.total) },
  { name: "last used", text: ({ last_used_at: at }) => (at === null ? "never" : formatTime(at)) },
];

/** `trunkline keys` */
export const keysCommand: Command = {
  help: `Lists, makes and revokes API keys. Needs a key with the scope manage.

  trunkline keys list [--state ${STATES.join("|")}] [--json]
  trunkline keys create <name> [--scopes inference,read] [--budget 5/month] [--expires 2030-01-31T00:00:00Z]
                               [--requests-per-minute N] [--models a,b] [--json]
  trunkline keys revoke <id or name> [--json]

  --scopes  of ${SCOPES.join(", ")}; default: inference,read
  --budget  credits, alone or with a period: ${PERIODS.join(", ")}; default: total

The secret of a new key is printed once.`,
  options: {
    json: { type: "boolean" },
    state: { type: "string" },
    scopes: { type: "string" },
    budget: { type: "string" },
    expires: { type: "string" },
    "requests-per-minute": { type: "string" },
    models: { type: "string" },
  },
  async run(invocation) {
    const [action = "list", ...words] = invocation.words;
    if (action === "list") return listKeys({ ...invocation, words });
    if (action === "create") return createKey({ ...invocation, words });
    if (action === "revoke") return revokeKey({ ...invocation, words });
    throw new UsageError(`There is no command keys ${action}.`);
  },
};

async function listKeys({ words, text, client, isSet, print, printJson }: Invocation): Promise<void> {
  takeWords(words, 0);
  const state = choiceOf("state", text("state"), STATES);
  const keys = await allKeys(await client(), state);
  if (isSet("json")) printJson(keys);
  else print(keys.length === 0 ? "There are no keys." : formatTable(COLUMNS, keys));
}

async function allKeys(client: Client, state?: Key["state"]): Promise<Key[]> {
  const keys: Key[] = [];
  for await (const key of client.items("GET /v1/keys", { query: { state, limit: 100 } })) keys.push(key);
  return keys;
}

async function createKey({ words, text, client, isSet, terminal, print, printJson }: Invocation): Promise<void> {
  const [name] = takeWords(words, 1);
  if (name === undefined) throw new UsageError("Give the key a name: trunkline keys create <name>.");
  const requestsPerMinute = numberOf("requests-per-minute", text("requests-per-minute"));
  const scopes = (text("scopes") ?? "inference,read")
    .split(",")
    .map((scope) => choiceOf("scopes", scope.trim(), SCOPES));
  const body: NewKey = {
    name,
    scopes: scopes.filter((scope) => scope !== undefined),
    expires_at: text("expires"),
    requests_per_minute: requestsPerMinute,
    budget: readBudget(text("budget")),
    models: text("models")
      ?.split(",")
      .map((model) => model.trim()),
  };
  const made = await (await client()).call("POST /v1/keys", { body });
  if (isSet("json")) return printJson(made);
  // The secret alone goes to the output, so that it can be piped on.
  terminal.stderr.write(`The key ${made.name} is made, with the id ${made.id}. Its secret is shown this once:\n`);
  print(made.key);
}

/** `5` or `5/month`. */
function readBudget(text: string | undefined): NewKey["budget"] {
  if (text === undefined) return undefined;
  const [amount, period] = text.split("/");
  const limit = numberOf("budget", amount) ?? 0;
  return { limit, period: choiceOf("budget's period", period, PERIODS) ?? "total" };
}

async function revokeKey({ words, client, isSet, print, printJson }: Invocation): Promise<void> {
  const [wanted] = takeWords(words, 1);
  if (wanted === undefined) throw new UsageError("Name the key: trunkline keys revoke <id or name>.");
  const api = await client();
  const found = (await allKeys(api)).filter(({ id, name }) => id === wanted || name === wanted);
  const [key] = found;
  if (key === undefined) throw new UsageError(`There is no key with the id or name ${wanted}.`);
  if (found.length > 1) throw new UsageError(`Several keys are called ${wanted}. Name one by its id.`);
  await api.call("DELETE /v1/keys/{id}", { params: { id: key.id } });
  if (isSet("json")) printJson({ id: key.id, name: key.name, state: "revoked" });
  else print(`The key ${key.name} (${key.id}) is revoked.`);
}
