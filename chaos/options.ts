import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { STRIKES, type Strike } from "../server/test/support/patroni-cluster.ts";

/** What can be tried, by name. */
export const SCENARIOS = [
  "crashes",
  "last-credit",
  "outage",
  "failover",
  "full-disk",
  "changes",
  "rate-limits",
  "overload",
  "neighbour",
  "stalled-readers",
  "hostile-provider",
  "unknown-commit",
] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

/** What happens to PostgreSQL in an outage. */
export const OUTAGES = ["restart", "stop", "kill"] as const;
export type Outage = (typeof OUTAGES)[number];

/** The options of a scenario. Each scenario has defaults for what is not given. */
export interface ScenarioOptions {
  readonly seed: string;
  readonly say: (line: string) => void;
  readonly instances?: number;
  readonly kills?: number;
  /** How long after its plan an instance that did not reach the place where it is to die is killed all the same. */
  readonly lateSeconds?: number;
  /** The shortest and the longest time between two kills. */
  readonly everySeconds?: readonly [number, number];
  readonly clients?: number;
  readonly rounds?: number;
  readonly requests?: number;
  readonly kind?: Outage;
  readonly strike?: Strike;
  readonly seconds?: number;
  readonly minutes?: number;
  /** A small file system of one's own, for a disk that is to be full. */
  readonly folder?: string;
  readonly keep?: boolean;
}

export const HELP = `Tries to make the money wrong, and proves that it can't.

  npm run chaos -- [--scenario NAME] [options]

Scenarios
  crashes      instances are killed at every place that matters, under mixed traffic (this one where none is named)
                 --kills 200  --instances 1  --every 0.5-3 (seconds)
  last-credit  many more requests at once than the balance is for
                 --rounds 100  --requests 200  --instances 3
  outage       PostgreSQL is restarted, stopped for a while or killed under load
                 --kind restart|stop|kill  --seconds 30  --rounds 1  --instances 3
  failover     the primary of a PostgreSQL under Patroni is taken away, and a synchronous replica takes its place
                 --strike postgres|machine|hang (each in turn where none is named)  --rounds 20  --instances 2
  full-disk    the disk under the embedded store is full for a while; needs root on Linux, or a --folder to fill
                 --seconds 10  --rounds 1  --folder /mnt/small
  changes      keys are revoked, budgets and limits changed under load
                 --minutes 10  --instances 3
  rate-limits  one key's limit on several instances, however its requests are spread
                 --seconds 60  --instances 3
  overload     three times as many requests as the service can serve
                 --seconds 60
  neighbour    a tenant with 20 keys and 50 times the requests of another one
                 --seconds 30
  stalled-readers  many clients that do not read their answers, and few places
                 --clients 100  --rounds 3
  hostile-provider  providers that answer as no honest one would
                 --requests 5 (to each)  --clients 8
  unknown-commit  the store is cut off after a commit was sent and before its answer
                 --rounds 20  --clients 20

With every scenario
  --seed S     draws the same traffic and the same faults again; printed first, and in the report
  --clients N  how many clients send traffic at once
  --keep       leaves the folder with the data and the logs

One instance runs on the embedded store; more share one PostgreSQL. Ends with 0 when no promise was broken, 1 when one was, 2 when
the scenario could not be run.`;

/** What was asked for at the terminal: a scenario, help, or something that can't be understood. */
export type Request =
  | { readonly kind: "run"; readonly scenario: ScenarioName; readonly options: ScenarioOptions }
  | { readonly kind: "help" }
  | { readonly kind: "mistake"; readonly sentence: string };

/** Reads the words after the command. */
export function readRequest(args: readonly string[], say: (line: string) => void): Request {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        scenario: { type: "string", default: "crashes" },
        seed: { type: "string", default: String(randomInt(1_000_000)) },
        instances: { type: "string" },
        kills: { type: "string" },
        every: { type: "string" },
        clients: { type: "string" },
        rounds: { type: "string" },
        requests: { type: "string" },
        kind: { type: "string" },
        strike: { type: "string" },
        seconds: { type: "string" },
        minutes: { type: "string" },
        folder: { type: "string" },
        keep: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { kind: "help" };
    const options = {
      seed: values.seed,
      say,
      keep: values.keep,
      ...given("instances", wholeNumber("instances", values.instances)),
      ...given("kills", wholeNumber("kills", values.kills)),
      ...given("everySeconds", range("every", values.every)),
      ...given("clients", wholeNumber("clients", values.clients)),
      ...given("rounds", wholeNumber("rounds", values.rounds)),
      ...given("requests", wholeNumber("requests", values.requests)),
      ...given("kind", values.kind === undefined ? undefined : oneOf("kind", OUTAGES, values.kind)),
      ...given("strike", values.strike === undefined ? undefined : oneOf("strike", STRIKES, values.strike)),
      ...given("seconds", wholeNumber("seconds", values.seconds)),
      ...given("minutes", wholeNumber("minutes", values.minutes)),
      ...given("folder", values.folder),
    };
    return { kind: "run", scenario: oneOf("scenario", SCENARIOS, values.scenario), options };
  } catch (error) {
    return { kind: "mistake", sentence: error instanceof Error ? error.message : String(error) };
  }
}

function given<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`--${name} must be a whole number above 0.`);
  return Number(text);
}

function range(name: string, text: string | undefined): readonly [number, number] | undefined {
  if (text === undefined) return undefined;
  const [, from, to] = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (from === undefined || to === undefined || Number(to) < Number(from) || Number(to) === 0)
    throw new Error(`--${name} must be a range of seconds such as 0.5-3.`);
  return [Number(from), Number(to)];
}

function oneOf<Choice extends string>(name: string, choices: readonly Choice[], text: string): Choice {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new Error(`--${name} must be one of ${choices.join(", ")}.`);
  return found;
}
