import { Secret } from "@trunkline/core/secret.ts";
import { parseEndpointUrl } from "@trunkline/providers/dialer/address-guard.ts";
import { KNOWN_PROVIDERS, type KnownProvider } from "@trunkline/providers/discovery/known-providers.ts";
import { LOCAL_SERVERS } from "@trunkline/providers/discovery/local-servers.ts";
import { z } from "zod";
import { ConfigError } from "./config-file.ts";

/** A provider whose key the operator has put into the environment. */
export interface FoundProvider {
  readonly id: string;
  /** Tried in turn. */
  readonly keys: readonly Secret[];
  /** The variable that the keys came from, for people. */
  readonly variable: string;
}

/** What is looked for without being asked, and where. */
export interface DiscoveryConfig {
  readonly providers: readonly FoundProvider[];
  /** Base URLs by provider: the usual one, or what a variable says. None of a provider whose address is not known. */
  readonly bases: ReadonlyMap<string, Base>;
  /** Models whose full name fits one of these are offered; none: all. */
  readonly allow: readonly RegExp[];
  /** Those of them that are not. */
  readonly deny: readonly RegExp[];
  /** Whether providers are asked which models their keys may use. */
  readonly asksProviders: boolean;
  /** Base addresses on this machine where models may run. */
  readonly localServers: readonly string[];
  /** What a person should know of it at the start. */
  readonly notes: readonly string[];
}

/** Where a provider is dialled. */
export interface Base {
  readonly url: string;
  /** Said by the operator, and so allowed to be private. */
  readonly chosen: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What the configuration file may say of it. */
export interface DiscoveryFileSettings {
  readonly enabled: boolean;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ask_providers: boolean;
}

/** The variables that steer it; the providers' own are read by their names. */
export const discoveryVariables = {
  TRUNKLINE_DISCOVERY: z.enum(["on", "off"]).optional(),
  TRUNKLINE_DISCOVER_MODELS: z.string().optional(),
  TRUNKLINE_LOCAL_SERVERS: z.string().optional(),
};

/** Finds the providers' keys and addresses among the variables. */
export function readDiscovery(environment: Environment, file: DiscoveryFileSettings): DiscoveryConfig {
  const isOn = (environment.TRUNKLINE_DISCOVERY ?? (file.enabled ? "on" : "off")) === "on";
  const patterns = listOf(environment.TRUNKLINE_DISCOVER_MODELS);
  const bases = new Map(
    KNOWN_PROVIDERS.flatMap((provider) => {
      const base = baseOf(provider, environment);
      return base === undefined ? [] : [[provider.id, base] as const];
    }),
  );
  const withKeys = isOn ? KNOWN_PROVIDERS.flatMap((provider) => findKeys(provider, environment) ?? []) : [];
  return {
    providers: withKeys.filter(({ id }) => bases.has(id)),
    bases,
    allow: [...patterns.filter((pattern) => !pattern.startsWith("!")), ...file.allow].map(patternOf),
    deny: [...patterns.filter((one) => one.startsWith("!")).map((one) => one.slice(1)), ...file.deny].map(patternOf),
    asksProviders: isOn && file.ask_providers,
    localServers: isOn ? localServersOf(environment.TRUNKLINE_LOCAL_SERVERS) : [],
    notes: withKeys
      .filter(({ id }) => !bases.has(id))
      .map(({ id, variable }) => `${variable} is set, and it is not known where ${id} is: ${hintOf(id)}.`),
  };
}

/** `*` stands for any characters, as in `openai/*`. */
function patternOf(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "i");
}

function findKeys({ id, keyVariables }: KnownProvider, environment: Environment): FoundProvider | undefined {
  for (const variable of keyVariables) {
    const keys = new Set([...listOf(environment[variable]), ...listOf(environment[`${variable}S`])]);
    if (keys.size === 0) continue;
    for (const key of keys) {
      if (!/^[\x21-\x7e]+$/.test(key))
        throw new ConfigError(`The variable ${variable} must be printable ASCII without spaces.`);
    }
    return { id, variable, keys: [...keys].map((key) => new Secret(key)) };
  }
  return id === "bedrock" ? findAwsKey(environment) : undefined;
}

/** A pair of keys that signs for any of Amazon's services. It counts only where a region is said as well. */
function findAwsKey(environment: Environment): FoundProvider | undefined {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token = "" } = environment;
  const region = environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION;
  if (id === undefined || secret === undefined || region === undefined) return undefined;
  const key = [id, secret, token, region].join(":");
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ConfigError("The variables of the AWS credentials must be printable ASCII without spaces.");
  return { id: "bedrock", variable: "AWS_ACCESS_KEY_ID", keys: [new Secret(key)] };
}

function baseOf({ baseUrl, baseVariables }: KnownProvider, environment: Environment): Base | undefined {
  const variable = baseVariables.find((name) => environment[name] !== undefined);
  const chosen = variable === undefined ? undefined : environment[variable];
  if (variable !== undefined && chosen !== undefined) {
    const url = parseEndpointUrl(chosen, true);
    if (typeof url === "string") throw new ConfigError(`The variable ${variable} is no base URL. ${url}`);
    return { url: chosen.replace(/\/+$/, ""), chosen: true };
  }
  const filled = baseUrl.replace(
    /\{(\w+)\}/g,
    (braces, name: string) => environment[name] ?? usualOf(name, environment) ?? braces,
  );
  return filled.includes("{") || !URL.canParse(filled) ? undefined : { url: filled, chosen: false };
}

/** The default of a variable in an address. */
function usualOf(name: string, environment: Environment): string | undefined {
  return name === "AWS_REGION" ? (environment.AWS_DEFAULT_REGION ?? "us-east-1") : undefined;
}

function hintOf(providerId: string): string {
  const provider = KNOWN_PROVIDERS.find(({ id }) => id === providerId);
  return `set ${provider?.baseVariables[0] ?? "its base URL"}`;
}

function localServersOf(said: string | undefined): readonly string[] {
  if (said === undefined) return LOCAL_SERVERS.map(({ port }) => `http://127.0.0.1:${port}`);
  if (said === "off") return [];
  return listOf(said).map((address) => {
    const url = parseEndpointUrl(address, true);
    if (typeof url === "string")
      throw new ConfigError(`The variable TRUNKLINE_LOCAL_SERVERS is \`off\` or a list of addresses. ${url}`);
    return url.origin;
  });
}

/** What stands between commas. */
function listOf(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
