import { createHash } from "node:crypto";
import { Secret } from "@trunkline/core/secret.ts";
import type { Config } from "./config/config.ts";
import type { Outcome } from "./control-socket.ts";
import { redeclareModels } from "./first-start.ts";
import type { Services } from "./services.ts";

/** Settings that a process takes over while it runs, by their names in the file. The others need a restart. */
const LIVE: readonly { readonly name: string; readonly read: (config: Config) => unknown }[] = [
  { name: "models", read: ({ models }) => models },
  { name: "limits", read: ({ limits }) => ({ ...limits, ...fixedLimits(undefined) }) },
  { name: "routing", read: ({ strategy, routing: { probes: _probes, ...routing } }) => [strategy, routing] },
  { name: "safety", read: ({ safety, judge }) => [safety, judge] },
  { name: "reconciliation", read: ({ reconciliation }) => reconciliation },
  { name: "log_level", read: ({ logLevel }) => logLevel },
  { name: "discovery.allow", read: ({ discovery }) => discovery.allow },
  { name: "discovery.deny", read: ({ discovery }) => discovery.deny },
];

const FIXED: typeof LIVE = [
  { name: "limits.header_wait_ms", read: ({ limits }) => limits.headerWaitMs },
  { name: "limits.body_wait_ms", read: ({ limits }) => limits.bodyWaitMs },
  { name: "limits.attachment_body_bytes", read: ({ limits }) => limits.attachmentBodyBytes },
  { name: "limits.body_memory_bytes", read: ({ limits }) => limits.bodyMemoryBytes },
  { name: "routing.probes", read: ({ routing }) => routing.probes },
  {
    name: "discovery.enabled or discovery.ask_providers",
    read: ({ discovery }) => [discovery.asksProviders, discovery.providers, discovery.localServers],
  },
  { name: "data_claims", read: ({ dataClaims }) => [...dataClaims] },
  { name: "outbound_tls", read: ({ outboundTls }) => outboundTls },
  { name: "trust_proxy", read: ({ trustProxy }) => trustProxy },
  { name: "workers", read: ({ workers }) => workers },
];

/** Limits that parts of the process were made with. */
function fixedLimits(limits: Config["limits"] | undefined) {
  return {
    headerWaitMs: limits?.headerWaitMs,
    bodyWaitMs: limits?.bodyWaitMs,
    attachmentBodyBytes: limits?.attachmentBodyBytes,
    bodyMemoryBytes: limits?.bodyMemoryBytes,
  };
}

/** The names of the settings that differ: those that can be changed while the service runs, and those that can't. */
export function compareConfigs(before: Config, next: Config): { readonly live: string[]; readonly fixed: string[] } {
  const differs = ({ read }: (typeof LIVE)[number]) => digestOf(read(before)) !== digestOf(read(next));
  return { live: LIVE.filter(differs).map(({ name }) => name), fixed: FIXED.filter(differs).map(({ name }) => name) };
}

/** What needs a restart is shown as it is in force. */
function mergeEffective(before: Config, next: Config, fixed: readonly string[]): Config["effective"] {
  const isFixed = (name: string) => fixed.some((one) => one.split(" or ").some((path) => name.startsWith(path)));
  const known = new Map(before.effective.map((setting) => [setting.name, setting]));
  return next.effective.map((setting) => (isFixed(setting.name) ? (known.get(setting.name) ?? setting) : setting));
}

/** Two secrets look alike to every other comparison. */
function digestOf(value: unknown): string {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    const original = this[key];
    if (original instanceof Secret) return `secret ${original.reveal()}`;
    if (original instanceof RegExp) return original.source;
    return typeof shown === "bigint" ? `${shown}n` : shown;
  });
  return createHash("sha256")
    .update(text ?? "")
    .digest("hex");
}

/** What changed, for the log and for `trunkline reload`. */
export function describeReload(applied: readonly string[], fixed: readonly string[]): Outcome {
  const words =
    applied.length === 0
      ? "The configuration was read again, and nothing that can be changed now has changed."
      : `The configuration was read again. Changed: ${applied.join(", ")}.`;
  const rest = fixed.length === 0 ? "" : ` A restart is needed for: ${fixed.join(", ")}.`;
  return { isDone: true, message: words + rest };
}

/**
 * Takes a new configuration over in a process that goes on. Throws, with nothing changed, where its models can't be
 * declared. What other parts hold is the same Config, so that they see the change.
 */
export async function applyConfig(services: Services, next: Config): Promise<Outcome> {
  const { config, log, settings } = services;
  const { live, fixed } = compareConfigs(config, next);
  if (live.includes("models")) await redeclareModels(services, next.models);
  // The only place where a Config changes: everywhere else it is read.
  const current = config as { -readonly [Name in keyof Config]: Config[Name] };
  Object.assign(config.limits, next.limits, fixedLimits(config.limits));
  Object.assign(config.routing, next.routing, { probes: config.routing.probes });
  Object.assign(config.reconciliation, next.reconciliation);
  Object.assign(config.discovery, { allow: next.discovery.allow, deny: next.discovery.deny });
  current.strategy = next.strategy;
  current.safety = next.safety;
  current.judge = next.judge;
  current.models = next.models;
  current.logLevel = next.logLevel;
  current.effective = mergeEffective(config, next, fixed);
  log.level = next.logLevel;
  await settings.reconfigure(config);
  if (live.some((name) => name.startsWith("discovery"))) await services.providers.catalogue.reload();
  // Keys that have no rate of their own are cached with the service's.
  if (live.includes("limits")) services.identity.keyring.invalidate();
  return describeReload(live, fixed);
}
