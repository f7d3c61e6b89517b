import { resolve } from "node:path";
import type { DataClaim } from "@trunkline/core/data-rules.ts";
import { describeIssue, formatIssuePath } from "@trunkline/core/field-schemas.ts";
import type { Strategy } from "@trunkline/core/inference.ts";
import type { ServiceRetention } from "@trunkline/core/retention.ts";
import type { ServiceSafetyRules } from "@trunkline/core/safety-policy.ts";
import { toSafetyRules } from "@trunkline/core/safety-rules-schema.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { SIGN_UP_MODES, type SignUpMode } from "@trunkline/core/service-settings.ts";
import { z } from "zod";
import type { TokenSettings } from "../../payments/token/token-settings.ts";
import type { X402Settings } from "../../payments/x402/x402-settings.ts";
import type { TelemetrySettings } from "../../telemetry/telemetry-settings.ts";
import type { OutboundTlsSettings, TlsSettings } from "../../tls/tls-settings.ts";
import { controlSocketIn } from "../control-socket.ts";
import { type CardConfig, cardVariables, readCard } from "./card-config.ts";
import {
  ConfigError,
  type ConfigFile,
  type JudgeConfig,
  LOG_LEVELS,
  readConfigSource,
  readJudge,
} from "./config-file.ts";
import { type CrashPlan, readCrashPlan } from "./crash-plan.ts";
import { databaseVariables, readDatabases, withHomeDatabase } from "./database-config.ts";
import { type DeclaredModel, readDataClaims, readModels } from "./declared-models.ts";
import { type DiscoveryConfig, discoveryVariables, readDiscovery } from "./discovery-config.ts";
import { describeFile, describeVariables, type EffectiveSetting } from "./effective-settings.ts";
import { type LimitsConfig, readLimits } from "./limits-config.ts";
import { type PayoutConfig, payoutVariables, percentTextSchema, readPayouts } from "./payout-config.ts";
import { readRetention, readServiceRetention, retentionVariables } from "./retention-config.ts";
import { requireNewSecret } from "./secret-config.ts";
import { readServiceManager, type ServiceManagerConfig, serviceManagerVariables } from "./service-manager-config.ts";
import { ssoVariables } from "./sso-config.ts";
import { readTelemetry, telemetryVariables } from "./telemetry-config.ts";
import { originOf, readOutboundTls, readTlsSettings, tlsVariables } from "./tls-config.ts";
import { readTokenSettings, tokenVariables } from "./token-config.ts";
import { defaultWorkerCount, EMBEDDED_WORKERS_MAX, workerCountTextSchema } from "./worker-count.ts";
import { readX402Settings, x402Variables } from "./x402-config.ts";

/** Everything that can be set, read at the start. */
export interface Config {
  /** Each setting with its source, for the operator to look at. */
  readonly effective: readonly EffectiveSetting[];
  readonly port: number;
  readonly host: string;
  /** How many processes serve the port. */
  readonly workers: number;
  /** How the port speaks TLS; undefined: plain HTTP. */
  readonly tls: TlsSettings | undefined;
  /** Hosts with certificates of their own, the first that fits counts. */
  readonly outboundTls: readonly OutboundTlsSettings[];
  /** The address under which people know the service, without a slash at its end; undefined: as they ask for it. */
  readonly publicUrl: string | undefined;
  /** How mail is sent; undefined: links that would be mailed are logged. */
  readonly mail: { readonly url: Secret; readonly from: string } | undefined;
  readonly signUp: SignUpMode;
  readonly databaseUrl: string | undefined;
  /** Further databases, which accounts can be placed on; none: there is one. */
  readonly otherDatabaseUrls: readonly string[];
  /** A replica that usage and the list of requests are read from; undefined: from the database itself. */
  readonly databaseReadUrl: string | undefined;
  readonly dataDir: string;
  /** The folder in which the embedded PostgreSQL archives its log; undefined: none. */
  readonly walArchive: string | undefined;
  readonly bootstrapKey: Secret | undefined;
  readonly secret: Secret | undefined;
  /** The secret before, while values that it encrypted are left; undefined: `secret` was not changed. */
  readonly secretFallback: Secret | undefined;
  readonly logLevel: string;
  /** Traces, metrics and logs that are sent elsewhere, and the access log; undefined: none. */
  readonly telemetry: TelemetrySettings | undefined;
  /** Where the running service takes orders of the command line; undefined: nowhere. */
  readonly controlSocket: string | undefined;
  /** Where the service reports that it runs; undefined: nowhere. */
  readonly serviceManager: ServiceManagerConfig | undefined;
  readonly trustProxy: boolean | number;
  readonly strategy: Strategy;
  readonly routing: {
    /** The least quality, at its lower bound, that the cheapest is chosen from; 0 to 1. */
    readonly qualityFloor: number;
    /** In how many of the automatic requests a near-equal is tried, at most 0.05. */
    readonly exploration: number;
    /** Whether outcomes change what is predicted. */
    readonly learning: boolean;
    /** Whether idle models are called now and then to know how they do. */
    readonly probes: boolean;
  };
  readonly limits: LimitsConfig;
  /** What accounts and keys lay their own rules over. */
  readonly safety: ServiceSafetyRules;
  /** The external judge for uncertain texts; undefined: none. */
  readonly judge: JudgeConfig | undefined;
  /** How far a provider's own count may be from ours. */
  readonly reconciliation: {
    readonly threshold: number;
    readonly minimumRequests: number;
    readonly graceMs: number;
  };
  readonly models: readonly DeclaredModel[];
  /** What the operator claims of what becomes of data at providers, by provider. */
  readonly dataClaims: ReadonlyMap<string, DataClaim>;
  /** Which providers and local servers are found without being declared. */
  readonly discovery: DiscoveryConfig;
  /** What a request under an account's own key for a provider costs, in millionths of the model's price. */
  readonly ownKeyFeePpm: number;
  /** What providers get of what clients paid for their models. */
  readonly payouts: PayoutConfig;
  /** How single requests are paid for by x402; undefined: they are not. */
  readonly x402: X402Settings | undefined;
  /** How many days before it holds a price rise of another account's model is announced. */
  readonly priceNoticeDays: number;
  /** How many days responses and conversations are kept after their last use; 0: none are kept. */
  readonly storedResponseDays: number;
  /** For how long records of requests stay in the database, and where they go then; undefined: they stay for good. */
  readonly requestRetention: { readonly days: number; readonly folder: string | undefined } | undefined;
  /** For how long accounts may have their data kept. */
  readonly retention: ServiceRetention;
  /** How customers pay by token; undefined: they can't. */
  readonly token: TokenSettings | undefined;
  /** How cards are taken; undefined: they are not. */
  readonly card: CardConfig | undefined;
  /** The issuers that may be at private addresses, and without TLS. */
  readonly privateIssuers: readonly string[];
  /** A testing tool: where and how often the service kills itself. undefined: nowhere. */
  readonly crashPoints: CrashPlan | undefined;
}

const environmentSchema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  HOST: z.string().min(1).default("127.0.0.1"),
  ...databaseVariables,
  TRUNKLINE_DATA_DIR: z.string().min(1).default("./data"),
  TRUNKLINE_BOOTSTRAP_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{16,128}$/, "must be 16 to 128 of A-Z a-z 0-9 _ -")
    .optional(),
  TRUNKLINE_SECRET: z.string().min(16, "must be at least 16 characters").optional(),
  TRUNKLINE_SECRET_FALLBACK: z.string().min(16, "must be at least 16 characters").optional(),
  TRUNKLINE_WAL_ARCHIVE: z.string().min(1).optional(),
  TRUNKLINE_CONFIG: z.string().min(1).optional(),
  TRUNKLINE_PUBLIC_URL: z
    .string()
    .regex(/^https?:\/\/[^/\s?#]+\/?$/, "must be an address such as https://ai.example.com, without a path")
    .transform((url) => new URL(url).origin)
    .optional(),
  TRUNKLINE_SIGN_UP: z.enum(SIGN_UP_MODES).default("open"),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, "must begin with smtp:// or smtps://")
    .optional(),
  MAIL_FROM: z.string().min(3).optional(),
  TRUNKLINE_WORKERS: workerCountTextSchema.optional(),
  TRUNKLINE_LOG_LEVEL: z.enum(LOG_LEVELS).optional(),
  TRUNKLINE_CONTROL_SOCKET: z.string().min(1).max(100).optional(),
  ...discoveryVariables,
  ...cardVariables,
  ...payoutVariables,
  ...x402Variables,
  TRUNKLINE_OWN_KEY_FEE_PERCENT: percentTextSchema.default(0),
  TRUNKLINE_PRICE_NOTICE_DAYS: z
    .string()
    .regex(/^\d{1,2}$/, "must be a whole number of days, 0 to 99")
    .transform(Number)
    .default(7),
  TRUNKLINE_STORED_RESPONSE_DAYS: z
    .string()
    .regex(/^\d{1,3}$/, "must be a whole number of days, 0 to 999")
    .transform(Number)
    .default(30),
  ...serviceManagerVariables,
  ...telemetryVariables,
  ...retentionVariables,
  ...tlsVariables,
  ...ssoVariables,
  ...tokenVariables,
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

type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line may set. It counts before the environment and the file. */
export interface CommandOptions {
  readonly workers?: string | undefined;
}

/** Reads the environment and the configuration file, or says what is wrong with them. */
export function readConfig(environment: Environment = process.env, options: CommandOptions = {}): Config {
  const given = withoutEmpty(environment);
  const variables = readVariables(environmentSchema, withHomeDatabase(given));
  const { file, raw } = readConfigSource(variables.TRUNKLINE_CONFIG);
  const tls = readTlsSettings(variables);
  if (variables.DATABASE_URL !== undefined && variables.TRUNKLINE_SECRET === undefined) {
    throw new ConfigError(
      "TRUNKLINE_SECRET is required with DATABASE_URL: it encrypts the providers' credentials, the webhooks' secrets, the second factors and kept responses, and every instance must have the same one. Make one with: openssl rand -hex 32",
    );
  }
  requireNewSecret(variables.TRUNKLINE_SECRET, variables.TRUNKLINE_SECRET_FALLBACK);
  const token = readTokenSettings(variables);
  const requestRetention = readRetention(variables);
  if (typeof requestRetention === "string") throw new ConfigError(requestRetention);
  const discovery = readDiscovery(given, file.discovery);
  return {
    effective: [
      ...describeVariables(
        Object.keys(environmentSchema.shape),
        given,
        discovery.providers.map(({ variable }) => variable),
      ),
      ...describeFile(
        file,
        raw,
        options.workers === undefined ? given : { ...given, TRUNKLINE_WORKERS: options.workers },
      ),
    ],
    port: variables.PORT,
    host: variables.HOST,
    workers: readWorkerCount(options, variables, file),
    tls,
    outboundTls: file.outbound_tls.map(readOutboundTls),
    publicUrl: variables.TRUNKLINE_PUBLIC_URL ?? originOf(tls),
    mail: mailOf(variables.SMTP_URL, variables.MAIL_FROM),
    signUp: variables.TRUNKLINE_SIGN_UP,
    ...readDatabases(variables),
    dataDir: resolve(variables.TRUNKLINE_DATA_DIR),
    walArchive: variables.TRUNKLINE_WAL_ARCHIVE,
    bootstrapKey: secretOf(variables.TRUNKLINE_BOOTSTRAP_KEY),
    secret: secretOf(variables.TRUNKLINE_SECRET),
    secretFallback: secretOf(variables.TRUNKLINE_SECRET_FALLBACK),
    logLevel: variables.TRUNKLINE_LOG_LEVEL ?? file.log_level,
    controlSocket: controlSocketOf(variables),
    telemetry: readTelemetry(variables),
    serviceManager: readServiceManager(variables),
    trustProxy: file.trust_proxy,
    strategy: file.routing.strategy,
    routing: {
      qualityFloor: file.routing.quality_floor,
      exploration: file.routing.exploration,
      learning: file.routing.learning,
      probes: file.routing.probes,
    },
    limits: readLimits(file.limits, variables.DATABASE_URL === undefined),
    safety: toSafetyRules(file.safety),
    judge: readJudge(file.safety.judge, given),
    reconciliation: {
      threshold: file.reconciliation.threshold,
      minimumRequests: file.reconciliation.minimum_requests,
      graceMs: file.reconciliation.grace_minutes * 60_000,
    },
    models: readModels(file, given),
    dataClaims: readDataClaims(file),
    discovery,
    ownKeyFeePpm: variables.TRUNKLINE_OWN_KEY_FEE_PERCENT,
    payouts: readPayouts(variables, variables.TRUNKLINE_TOKEN_RPC_URL !== undefined),
    x402: readX402Settings(variables, token, variables.TRUNKLINE_TOKEN_PAYOUT_KEY),
    priceNoticeDays: variables.TRUNKLINE_PRICE_NOTICE_DAYS,
    storedResponseDays: variables.TRUNKLINE_STORED_RESPONSE_DAYS,
    requestRetention,
    retention: readServiceRetention(file.retention, requestRetention?.days, variables.TRUNKLINE_STORED_RESPONSE_DAYS),
    token,
    card: readCard(variables),
    privateIssuers: variables.TRUNKLINE_PRIVATE_ISSUERS,
    crashPoints: variables.TRUNKLINE_CRASH_POINTS,
  };
}

/** Where the database is, and the secret that its encrypted columns need. */
export type StoreLocation = Pick<Config, "databaseUrl" | "otherDatabaseUrls" | "dataDir" | "walArchive" | "secret">;

/** Where the database is, for those who serve nothing: they need neither the secret nor the file. */
export function readStoreLocation(environment: Environment = process.env): StoreLocation {
  const site = environmentSchema.pick({
    DATABASE_URL: true,
    DATABASE_URLS: true,
    TRUNKLINE_DATA_DIR: true,
    TRUNKLINE_WAL_ARCHIVE: true,
    TRUNKLINE_SECRET: true,
  });
  const variables = readVariables(site, withHomeDatabase(withoutEmpty(environment)));
  return {
    ...readDatabases(variables),
    dataDir: resolve(variables.TRUNKLINE_DATA_DIR),
    walArchive: variables.TRUNKLINE_WAL_ARCHIVE,
    secret: secretOf(variables.TRUNKLINE_SECRET),
  };
}

/** Where `trunkline reload` reaches the service: it needs neither the secret nor the file. */
export function readControlSocket(environment: Environment = process.env): Pick<Config, "controlSocket"> {
  const site = environmentSchema.pick({
    DATABASE_URL: true,
    TRUNKLINE_DATA_DIR: true,
    TRUNKLINE_CONTROL_SOCKET: true,
  });
  return { controlSocket: controlSocketOf(readVariables(site, withHomeDatabase(withoutEmpty(environment)))) };
}

/** With a database elsewhere, there need not be a data folder that can be written to. */
function controlSocketOf(variables: {
  readonly DATABASE_URL?: string | undefined;
  readonly TRUNKLINE_DATA_DIR: string;
  readonly TRUNKLINE_CONTROL_SOCKET?: string | undefined;
}): string | undefined {
  if (variables.TRUNKLINE_CONTROL_SOCKET !== undefined) return resolve(variables.TRUNKLINE_CONTROL_SOCKET);
  return variables.DATABASE_URL === undefined ? controlSocketIn(resolve(variables.TRUNKLINE_DATA_DIR)) : undefined;
}

function readWorkerCount(
  options: CommandOptions,
  variables: { readonly TRUNKLINE_WORKERS?: number | undefined; readonly DATABASE_URL?: string | undefined },
  file: ConfigFile,
): number {
  const asked =
    options.workers === undefined ? undefined : workerCountTextSchema.safeParse(options.workers, { reportInput: true });
  if (asked?.success === false) {
    const [issue] = asked.error.issues;
    throw new ConfigError(`The option --workers ${issue === undefined ? "is wrong." : describeIssue(issue)}`);
  }
  const count = asked?.data ?? variables.TRUNKLINE_WORKERS ?? file.workers ?? defaultWorkerCount();
  if (variables.DATABASE_URL === undefined && count > EMBEDDED_WORKERS_MAX) {
    throw new ConfigError(
      `${count} workers need more connections than the embedded PostgreSQL takes: at most ${EMBEDDED_WORKERS_MAX} workers can share it. For more, set DATABASE_URL.`,
    );
  }
  return count;
}

/** A variable set to nothing means unset, as shells and compose files have it. */
function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
}

function readVariables<Variables>(schema: z.ZodType<Variables>, given: Environment): Variables {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConfigError(
    `The variable ${formatIssuePath(issue?.path ?? [])} ${issue === undefined ? "is wrong" : describeIssue(issue)}`,
  );
}

function secretOf(value: string | undefined): Secret | undefined {
  return value === undefined ? undefined : new Secret(value);
}

function mailOf(url: string | undefined, from: string | undefined): Config["mail"] {
  if (url === undefined) return undefined;
  if (from === undefined) throw new ConfigError("MAIL_FROM is required with SMTP_URL: it is whom the mails come from.");
  return { url: new Secret(url), from };
}
