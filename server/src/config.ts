import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { type CrashPlan, readCrashPlan } from "./crash-plan.ts";
import { STRATEGIES, type Strategy } from "./domain/inference.ts";
import { Mistake } from "./kit/mistake.ts";
import { Secret } from "./kit/secret.ts";
import { SAFETY_CATEGORIES } from "./safety/categories.ts";
import { type PolicyOverride, SAFETY_PRESETS, type SafetyPreset } from "./safety/policy.ts";
import { pathOf, sentenceOf } from "./wire/fault-of-issues.ts";
import { modelName, modelTerms, refuseUnpriced, wholeTermsOf } from "./wire/model.ts";

/** A model that the configuration file declares. */
export interface DeclaredModel {
  readonly provider: string;
  readonly name: string;
  readonly terms: ReturnType<typeof wholeTermsOf>;
}

/** Everything that can be set, read once at the start. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly bootstrapKey: Secret | undefined;
  readonly secret: Secret | undefined;
  readonly logLevel: string;
  readonly trustProxy: boolean;
  readonly strategy: Strategy;
  readonly limits: {
    readonly requestsPerMinute: number;
    readonly burst: number;
    /** How many requests may run at once before more are refused. */
    readonly concurrentRequests: number;
    readonly bodyBytes: number;
    readonly attachmentBodyBytes: number;
    readonly headerWaitMs: number;
    readonly bodyWaitMs: number;
    readonly drainMs: number;
  };
  readonly safety: {
    readonly preset: SafetyPreset;
    readonly overrides: Readonly<Record<string, PolicyOverride>>;
  };
  /** How far a provider's own count may be from ours. */
  readonly reconciliation: {
    readonly threshold: number;
    readonly minimumRequests: number;
    readonly graceMs: number;
  };
  readonly models: readonly DeclaredModel[];
  /** A testing tool: where and how often the service kills itself. undefined: nowhere. */
  readonly crashPoints: CrashPlan | undefined;
}

/** A mistake in the configuration, with where it is. */
export class ConfigMistake extends Mistake {
  override readonly name = "ConfigMistake";
}

const environmentSchema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  HOST: z.string().min(1).default("127.0.0.1"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must begin with postgres://")
    .optional(),
  TRUNKLINE_DATA_DIR: z.string().min(1).default("./data"),
  TRUNKLINE_BOOTSTRAP_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,128}$/, "must be 16 to 128 of A-Z a-z 0-9 _ -")
    .optional(),
  TRUNKLINE_SECRET: z.string().min(16, "must be at least 16 characters").optional(),
  TRUNKLINE_CONFIG: z.string().min(1).optional(),
  TRUNKLINE_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
  TRUNKLINE_CRASH_POINTS: z
    .string()
    .transform((text, context) => {
      const plan = readCrashPlan(text);
      if (!("mistake" in plan)) return plan;
      context.addIssue({ code: "custom", message: plan.mistake });
      return z.NEVER;
    })
    .optional(),
});

const providerName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must be 1 to 64 of a-z 0-9 -");
const action = z.enum(["refuse", "report", "allow"]);
const bytes = z
  .int()
  .min(1024)
  .max(1024 * 1024 * 1024);
const milliseconds = z.int().min(100).max(3_600_000);

const declaredModel = z
  .strictObject({
    ...modelTerms.shape,
    name: modelName,
    provider: providerName.refine((name) => name !== "builtin", "`builtin` is taken").optional(),
    credential_env: z.string().min(1).optional(),
  })
  .superRefine(refuseUnpriced);

const fileSchema = z.strictObject({
  models: z.array(declaredModel).default([]),
  backups: z.record(z.string(), z.array(z.string().min(1)).min(1)).default({}),
  limits: z
    .strictObject({
      requests_per_minute: z.int().min(1).max(10_000_000).default(600),
      burst: z.int().min(1).max(10_000_000).default(100),
      concurrent_requests: z.int().min(1).max(1_000_000).default(2_000),
      body_bytes: bytes.default(1024 * 1024),
      attachment_body_bytes: bytes.default(20 * 1024 * 1024),
      header_wait_ms: milliseconds.default(10_000),
      body_wait_ms: milliseconds.default(30_000),
      drain_ms: milliseconds.default(30_000),
    })
    .prefault({}),
  routing: z.strictObject({ strategy: z.enum(STRATEGIES).default("cost-optimized") }).prefault({}),
  safety: z
    .strictObject({
      preset: z.enum(SAFETY_PRESETS).default("balanced"),
      categories: z.partialRecord(z.enum(SAFETY_CATEGORIES), action).default({}),
    })
    .prefault({}),
  reconciliation: z
    .strictObject({
      threshold: z.number().min(0).max(1).default(0.05),
      minimum_requests: z.int().min(0).max(1_000_000_000).default(10),
      grace_minutes: z.int().min(0).max(1_440).default(15),
    })
    .prefault({}),
  trust_proxy: z.boolean().default(false),
});

type ConfigFile = z.infer<typeof fileSchema>;
type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_FILE = "trunkline.yaml";

/** Reads the environment and the configuration file, or says what is wrong with them. */
export function readConfig(environment: Environment = process.env): Config {
  const given = withoutEmpty(environment);
  const variables = readVariables(environmentSchema, given);
  const file = readFile(variables.TRUNKLINE_CONFIG);
  if (variables.DATABASE_URL !== undefined && variables.TRUNKLINE_SECRET === undefined) {
    throw new ConfigMistake(
      "TRUNKLINE_SECRET is required with DATABASE_URL: it encrypts the providers' credentials and the webhooks' secrets, and every instance must have the same one. Make one with: openssl rand -hex 32",
    );
  }
  return {
    port: variables.PORT,
    host: variables.HOST,
    databaseUrl: variables.DATABASE_URL,
    dataDir: resolve(variables.TRUNKLINE_DATA_DIR),
    bootstrapKey: secretOf(variables.TRUNKLINE_BOOTSTRAP_KEY),
    secret: secretOf(variables.TRUNKLINE_SECRET),
    logLevel: variables.TRUNKLINE_LOG_LEVEL,
    trustProxy: file.trust_proxy,
    strategy: file.routing.strategy,
    limits: {
      requestsPerMinute: file.limits.requests_per_minute,
      burst: file.limits.burst,
      concurrentRequests: file.limits.concurrent_requests,
      bodyBytes: file.limits.body_bytes,
      attachmentBodyBytes: file.limits.attachment_body_bytes,
      headerWaitMs: file.limits.header_wait_ms,
      bodyWaitMs: file.limits.body_wait_ms,
      drainMs: file.limits.drain_ms,
    },
    safety: { preset: file.safety.preset, overrides: file.safety.categories },
    reconciliation: {
      threshold: file.reconciliation.threshold,
      minimumRequests: file.reconciliation.minimum_requests,
      graceMs: file.reconciliation.grace_minutes * 60_000,
    },
    models: onceEach(file.models.map((model) => declare(model, file, given))),
    crashPoints: variables.TRUNKLINE_CRASH_POINTS,
  };
}

/** Where the database is, for those who serve nothing: they need neither the secret nor the file. */
export function readStoreSite(
  environment: Environment = process.env,
): Pick<Config, "databaseUrl" | "dataDir"> {
  const site = environmentSchema.pick({ DATABASE_URL: true, TRUNKLINE_DATA_DIR: true });
  const variables = readVariables(site, withoutEmpty(environment));
  return { databaseUrl: variables.DATABASE_URL, dataDir: resolve(variables.TRUNKLINE_DATA_DIR) };
}

/** A variable set to nothing means unset, as shells and compose files have it. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
}

function readVariables<Variables>(schema: z.ZodType<Variables>, given: Environment): Variables {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConfigMistake(
    `The variable ${pathOf(issue?.path ?? [])} ${issue === undefined ? "is wrong" : sentenceOf(issue)}`,
  );
}

function onceEach(models: readonly DeclaredModel[]): readonly DeclaredModel[] {
  const names = models.map(({ provider, name }) => `${provider}/${name}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigMistake(`The model ${twice} is declared twice.`);
  return models;
}

function readFile(named: string | undefined): ConfigFile {
  const path = resolve(named ?? DEFAULT_FILE);
  if (!existsSync(path)) {
    if (named !== undefined) throw new ConfigMistake(`TRUNKLINE_CONFIG names ${path}, which does not exist.`);
    return fileSchema.parse({});
  }
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(path, "utf8"), { lineCounter: lines });
  const syntax = document.errors[0];
  if (syntax !== undefined) {
    throw new ConfigMistake(
      `${path}, line ${lines.linePos(syntax.pos[0]).line}: ${syntax.message.split("\n")[0]?.replace(/ at line .*$/, "")}.`,
    );
  }
  const parsed = fileSchema.safeParse(contentOf(document, path), { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field =
    issue?.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : (issue?.path ?? []);
  const trouble =
    issue === undefined
      ? "is wrong."
      : issue.code === "unrecognized_keys"
        ? "is not a known field."
        : sentenceOf(issue);
  throw new ConfigMistake(
    `${path}, line ${lineOf(document, lines, field)}: ${pathOf(field) || "the file"} ${trouble}`,
  );
}

/** What a file says. Aliases are followed only here, and one may lead nowhere. */
function contentOf(document: ReturnType<typeof parseDocument>, path: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    throw new ConfigMistake(
      `${path}: an alias (*name) in it has no anchor (&name) before it, or there are too many.`,
      { cause: error },
    );
  }
}

/** The line of a field, or of the nearest thing around it that is there. */
function lineOf(
  document: ReturnType<typeof parseDocument>,
  lines: LineCounter,
  path: readonly PropertyKey[],
): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    // A field's own line is its key's: what it holds may begin further down.
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && item.key.value === path[length - 1])
      : undefined;
    const node = pair?.key ?? document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function declare(
  model: ConfigFile["models"][number],
  file: ConfigFile,
  environment: Environment,
): DeclaredModel {
  const { name, provider = "operator", credential_env: variable, ...terms } = model;
  const credential = variable === undefined ? terms.credential : environment[variable];
  if (variable !== undefined && credential === undefined) {
    throw new ConfigMistake(
      `The model ${name} takes its credential from the variable ${variable}, which is not set.`,
    );
  }
  if (variable !== undefined && !modelTerms.shape.credential.safeParse(credential).success) {
    throw new ConfigMistake(
      `The variable ${variable}, the credential of the model ${name}, must be printable ASCII without spaces.`,
    );
  }
  const backups = [
    ...(terms.backups ?? []),
    ...(Object.hasOwn(file.backups, name) ? (file.backups[name] ?? []) : []),
  ];
  return { provider, name, terms: wholeTermsOf({ ...terms, credential, backups }) };
}

function secretOf(value: string | undefined): Secret | undefined {
  return value === undefined ? undefined : new Secret(value);
}
