import { parseArgs } from "node:util";
import {
  AUTH_TYPES,
  DEFAULT_CALL_LIMITS,
  defaultAuthType,
  FREE_PRICE,
  MODEL_TYPES,
  MODEL_TYPES_BY_WIRE,
  type Model,
  WIRES,
} from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { type ConformanceReport, checkModel } from "@trunkline/providers/conformance/check-model.ts";
import { parseEndpointUrl } from "@trunkline/providers/dialer/address-guard.ts";
import { createDialer } from "@trunkline/providers/dialer/dialer.ts";
import { createAdapters } from "../create-adapters.ts";

const HELP = `Checks whether an endpoint keeps to the provider contract, by calling it a dozen times; with --wire, whether a
model of another format answers as it should.

  trunkline check-provider <url> [--key K] [--auth ${AUTH_TYPES.join("|")}]
                           [--type ${MODEL_TYPES.join("|")}] [--streaming|--no-streaming]
                           [--wire ${WIRES.join("|")}] [--model NAME]

  --key        the key to send; without one the endpoint is called without
  --auth       how the key is sent; where there is a key, as is usual for its format
  --type       what the model makes; text by default
  --streaming  check streaming too
  --wire       the format it speaks, by default our own; the URL is then the base of its API
  --model      the provider's own name for the model; needed with --wire

Ends with 0 when nothing failed, 1 when something did, 2 when the command was not understood.`;

const MARKS = { pass: "✓", warn: "!", fail: "✗" } as const;

/** A command line that can't be followed, in words. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

/** `trunkline check-provider`: prints what it finds and returns the exit code. */
export async function checkProviderCommand(args: readonly string[], out: (line: string) => void): Promise<number> {
  let target: Model | "help";
  try {
    target = readArguments(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    out(error.message);
    out("");
    out(HELP);
    return 2;
  }
  if (target === "help") {
    out(HELP);
    return 0;
  }

  out(`Checking ${target.endpoint} as ${/^[ai]/.test(target.type) ? "an" : "a"} ${target.type} model.`);
  const dialer = createDialer();
  try {
    const adapters = createAdapters(dialer, []);
    const report = await checkModel({ dialer, adapterFor: ({ wire }) => adapters[wire] }, target);
    for (const { check, verdict, message } of report.findings) out(`${MARKS[verdict]} ${check}: ${message}`);
    out(closingLine(report, target));
    return report.passed ? 0 : 1;
  } finally {
    await dialer.close();
  }
}

function readArguments(args: readonly string[]): Model | "help" {
  const { values, positionals } = parse(args);
  if (values.help === true) return "help";
  const [url, ...others] = positionals;
  if (url === undefined) throw new UsageError("Which endpoint? Give its URL.");
  if (others.length > 0) throw new UsageError("Give one URL, not several.");
  // The command runs in its owner's own shell, which can reach private addresses anyway.
  const endpoint = parseEndpointUrl(url, true);
  if (typeof endpoint === "string") throw new UsageError(endpoint);

  const { key, model } = values;
  const wire = oneOf("--wire", WIRES, values.wire ?? "trunkline");
  if ((wire !== "trunkline") !== (model !== undefined))
    throw new UsageError("--wire and --model belong together: name both, or neither.");
  const usual = key === undefined ? "none" : defaultAuthType(wire);
  const authType = oneOf("--auth", AUTH_TYPES, values.auth ?? usual);
  if (key === "") throw new UsageError("--key is empty.");
  if (authType !== "none" && key === undefined) throw new UsageError(`--auth ${authType} needs a --key.`);
  if (authType === "none" && key !== undefined) throw new UsageError("--auth none and --key exclude each other.");
  return {
    id: "",
    provider: "",
    name: model ?? "",
    description: "",
    accountId: undefined,
    wire,
    endpoint: url,
    authType,
    credential: key === undefined ? undefined : new Secret(key),
    type: oneOf("--type", MODEL_TYPES_BY_WIRE[wire], values.type ?? "text"),
    streaming: values.streaming ?? false,
    mayDialPrivate: true,
    price: { version: "", ...FREE_PRICE },
    capabilities: [],
    specialties: [],
    avgLatencyMs: undefined,
    accuracyScore: undefined,
    costEfficiency: undefined,
    contextWindow: undefined,
    maxOutputTokens: undefined,
    backups: [],
    limits: DEFAULT_CALL_LIMITS,
    state: "pending",
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: {
        key: { type: "string" },
        auth: { type: "string" },
        type: { type: "string" },
        streaming: { type: "boolean" },
        wire: { type: "string" },
        model: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    // parseArgs throws a TypeError with a sentence for people, whatever is wrong with the arguments.
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function oneOf<const T extends string>(flag: string, allowed: readonly T[], value: string): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new UsageError(`${flag} must be one of ${allowed.join(", ")}.`);
  return found;
}

function closingLine({ passed, findings }: ConformanceReport, target: Model): string {
  const count = (verdict: keyof typeof MARKS) => findings.filter((finding) => finding.verdict === verdict).length;
  const warnings = count("warn") === 1 ? "1 warning" : `${count("warn")} warnings`;
  if (!passed) return `Failed: ${count("fail")} of ${findings.length} findings must be put right, ${warnings}.`;
  const unchecked = target.type === "text" && !target.streaming ? " Streaming was not checked: add --streaming." : "";
  return `Passed: ${findings.length} findings, ${warnings}.${unchecked}`;
}
