import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type DataClaim, dataClaimSchema, toDataClaim } from "@trunkline/core/data-rules.ts";
import { StartupError } from "@trunkline/core/fault.ts";
import { describeIssue, formatIssuePath } from "@trunkline/core/field-schemas.ts";
import { STRATEGIES } from "@trunkline/core/inference.ts";
import { MODEL_TYPES_BY_WIRE } from "@trunkline/core/model.ts";
import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";
import { serviceSafetyRulesSchema } from "@trunkline/core/safety-rules-schema.ts";
import { Secret } from "@trunkline/core/secret.ts";
import type { ScoreRange } from "@trunkline/guard/judge/resolve-uncertainty.ts";
import type { JudgeKind } from "@trunkline/providers/moderation-judges/moderation-formats.ts";
import { isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { judgeCategoriesOf, judgeConfigSchema } from "../../http/requests/judge-schema.ts";
import { modelNameSchema, modelTermsSchema, requirePrices } from "../../http/requests/model-schema.ts";
import { retentionFileSchema } from "./retention-config.ts";
import { workerCountSchema } from "./worker-count.ts";

/** A mistake in the configuration, with where it is. */
export class ConfigError extends StartupError {
  override readonly name = "ConfigMistake";
}

const providerName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must be 1 to 64 of a-z 0-9 -");
const bytes = z
  .int()
  .min(1024)
  .max(1024 * 1024 * 1024);
const milliseconds = z.int().min(100).max(3_600_000);

const declaredModel = z
  .strictObject({
    ...modelTermsSchema.shape,
    name: modelNameSchema,
    provider: providerName.refine((name) => name !== "builtin", "`builtin` is taken").optional(),
    credential_env: z.string().min(1).optional(),
  })
  .superRefine(requirePrices)
  .superRefine(({ wire = "trunkline", type }, context) => {
    if (MODEL_TYPES_BY_WIRE[wire].includes(type)) return;
    const message = `has no ${type} models here: its models are ${MODEL_TYPES_BY_WIRE[wire].join(", ")}`;
    context.addIssue({ code: "custom", path: ["wire"], message });
  });

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;

const fileSchema = z.strictObject({
  log_level: z.enum(LOG_LEVELS).default("info"),
  models: z.array(declaredModel).default([]),
  backups: z.record(z.string(), z.array(z.string().min(1)).min(1)).default({}),
  limits: z
    .strictObject({
      requests_per_minute: z.int().min(1).max(10_000_000).default(600),
      account_requests_per_minute: z.int().min(1).max(10_000_000).optional(),
      burst: z.int().min(1).max(10_000_000).default(100),
      concurrent_requests: z.int().min(1).max(1_000_000).default(2_000),
      account_concurrent_requests: z.int().min(1).max(1_000_000).optional(),
      body_bytes: bytes.default(1024 * 1024),
      attachment_body_bytes: bytes.default(20 * 1024 * 1024),
      body_memory_bytes: z
        .int()
        .min(1024 * 1024)
        .max(1024 ** 4)
        .optional(),
      header_wait_ms: milliseconds.default(10_000),
      body_wait_ms: milliseconds.default(30_000),
      write_wait_ms: milliseconds.default(60_000),
      realtime_session_ms: z.int().min(1).max(86_400_000).default(3_600_000),
      realtime_idle_ms: z.int().min(1).max(86_400_000).default(900_000),
      drain_ms: milliseconds.default(30_000),
      lame_duck_ms: z.int().min(0).max(600_000).optional(),
    })
    .prefault({}),
  routing: z
    .strictObject({
      strategy: z.enum(STRATEGIES).default("cost-optimized"),
      quality_floor: z.number().min(0).max(1).default(0.6),
      exploration: z.number().min(0).max(0.05).default(0.05),
      learning: z.boolean().default(true),
      probes: z.boolean().default(true),
    })
    .prefault({}),
  safety: serviceSafetyRulesSchema.extend({ judge: judgeConfigSchema.optional() }).default({}),
  reconciliation: z
    .strictObject({
      threshold: z.number().min(0).max(1).default(0.05),
      minimum_requests: z.int().min(0).max(1_000_000_000).default(10),
      grace_minutes: z.int().min(0).max(1_440).default(15),
    })
    .prefault({}),
  discovery: z
    .strictObject({
      enabled: z.boolean().default(true),
      allow: z.array(z.string().min(1)).default([]),
      deny: z.array(z.string().min(1)).default([]),
      ask_providers: z.boolean().default(true),
    })
    .prefault({}),
  outbound_tls: z
    .array(
      z
        .strictObject({
          host: z
            .string()
            .regex(
              /^(\*|(\*\.)?[a-z0-9][a-z0-9.-]{0,252}|[0-9a-f:]{2,45})$/,
              "must be a host, `*.` and a domain, or `*`",
            ),
          ca_file: z.string().min(1).optional(),
          cert_file: z.string().min(1).optional(),
          key_file: z.string().min(1).optional(),
        })
        .refine(
          (entry) => (entry.cert_file === undefined) === (entry.key_file === undefined),
          "must have both cert_file and key_file, or neither",
        ),
    )
    .max(100)
    .default([]),
  data_claims: z
    .record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must be a provider's name"), dataClaimSchema.strict())
    .default({}),
  retention: retentionFileSchema,
  workers: workerCountSchema.optional(),
  trust_proxy: z.union([z.boolean(), z.int().min(1).max(10)]).default(false),
});

/** What the file says, with what it leaves out filled in. */
export type ConfigFile = z.infer<typeof fileSchema>;
const DEFAULT_FILE = "trunkline.yaml";

/** Reads the configuration file. The default file may be missing, a named one may not. */
export function readConfigFile(named: string | undefined): ConfigFile {
  return readConfigSource(named).file;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const why = code === "EISDIR" ? "it is a folder" : code === "EACCES" ? "the service may not read it" : code;
    throw new ConfigError(`The configuration ${path} can't be read: ${why}.`);
  }
}

/** The same, with what the file itself says. */
export function readConfigSource(named: string | undefined): { readonly file: ConfigFile; readonly raw: unknown } {
  const path = resolve(named ?? DEFAULT_FILE);
  if (!existsSync(path)) {
    if (named !== undefined) throw new ConfigError(`TRUNKLINE_CONFIG names ${path}, which does not exist.`);
    return { file: fileSchema.parse({}), raw: {} };
  }
  const lines = new LineCounter();
  const document = parseDocument(readText(path), { lineCounter: lines });
  const syntax = document.errors[0];
  if (syntax !== undefined) {
    throw new ConfigError(
      `${path}, line ${lines.linePos(syntax.pos[0]).line}: ${syntax.message.split("\n")[0]?.replace(/ at line .*$/, "")}.`,
    );
  }
  const raw = contentOf(document, path);
  const parsed = fileSchema.safeParse(raw, { reportInput: true });
  if (parsed.success) return { file: parsed.data, raw };
  const issue = parsed.error.issues[0];
  const field = issue?.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : (issue?.path ?? []);
  const trouble =
    issue === undefined
      ? "is wrong."
      : issue.code === "unrecognized_keys"
        ? "is not a known field."
        : describeIssue(issue);
  throw new ConfigError(
    `${path}, line ${lineOf(document, lines, field)}: ${formatIssuePath(field) || "the file"} ${trouble}`,
  );
}

/** What a file says. Aliases are followed only here, and one may lead nowhere. */
function contentOf(document: ReturnType<typeof parseDocument>, path: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    throw new ConfigError(`${path}: an alias (*name) in it has no anchor (&name) before it, or there are too many.`, {
      cause: error,
    });
  }
}

/** The line of a field, or of the nearest thing around it that is there. */
function lineOf(document: ReturnType<typeof parseDocument>, lines: LineCounter, path: readonly PropertyKey[]): number {
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

/** A moderation endpoint that may be asked. */
interface JudgeEndpoint {
  readonly kind: JudgeKind;
  readonly url: string;
  readonly key: Secret | undefined;
  readonly model: string | undefined;
  /** What the operator claims of what becomes of the texts there. */
  readonly dataClaim?: DataClaim | undefined;
}

/** Who is asked about doubtful texts, and on which terms. */
export interface JudgeConfig {
  /** `provider/name` of a model, or an endpoint. */
  readonly by: string | JudgeEndpoint;
  readonly timeBoxMs: number;
  readonly onFailure: "open" | "closed";
  readonly categories: readonly SafetyCategory[];
  readonly band: ScoreRange | undefined;
  readonly atOnce: number;
}

/** The judge of a file, with its key out of the environment. */
export function readJudge(
  judge: z.output<typeof judgeConfigSchema> | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): JudgeConfig | undefined {
  if (judge === undefined) return undefined;
  const { model, endpoint: asked } = judge;
  const by = asked === undefined ? model : { ...asked, key: judgeKey(asked.api_key_env, environment) };
  if (by === undefined) return undefined;
  return {
    by:
      typeof by === "string"
        ? by
        : {
            kind: by.kind,
            url: by.url,
            key: by.key,
            model: by.model,
            dataClaim: by.data === undefined ? undefined : toDataClaim(by.data),
          },
    timeBoxMs: judge.time_box_ms,
    onFailure: judge.on_failure,
    categories: judge.categories ?? judgeCategoriesOf(asked?.kind),
    band: judge.band,
    atOnce: judge.at_once,
  };
}

function judgeKey(
  variable: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Secret | undefined {
  if (variable === undefined) return undefined;
  const key = environment[variable];
  if (key === undefined)
    throw new ConfigError(`safety.judge takes its key from the variable ${variable}, which is not set.`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ConfigError(`The variable ${variable}, the key of safety.judge, must be printable ASCII without spaces.`);
  return new Secret(key);
}
