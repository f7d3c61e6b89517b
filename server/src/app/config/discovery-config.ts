import { readFileSync } from "node:fs";
import { isObject } from "@trunkline/core/json-object.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { isJsonText, readCloudCredential } from "@trunkline/providers/credentials/cloud-credential.ts";
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
  /** It stands in each credential instead, as every customer has another. */
  readonly isInCredential?: boolean;
  /** The region that the operator's own requests go to, where prices differ by it. */
  readonly location?: string | undefined;
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
  const isPlaced = (id: string) => bases.has(id) && bases.get(id)?.isInCredential !== true;
  const withKeys = isOn ? KNOWN_PROVIDERS.flatMap((provider) => findKeys(provider, environment) ?? []) : [];
  return {
    providers: withKeys.filter(({ id }) => isPlaced(id)),
    bases,
    allow: [...patterns.filter((pattern) => !pattern.startsWith("!")), ...file.allow].map(patternOf),
    deny: [...patterns.filter((one) => one.startsWith("!")).map((one) => one.slice(1)), ...file.deny].map(patternOf),
    asksProviders: isOn && file.ask_providers,
    localServers: isOn ? localServersOf(environment.TRUNKLINE_LOCAL_SERVERS) : [],
    notes: withKeys
      .filter(({ id }) => !isPlaced(id))
      .map(({ id, variable }) => `${variable} is set, and it is not known where ${id} is: ${hintOf(id)}.`),
  };
}

/** `*` stands for any characters, as in `openai/*`. */
function patternOf(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "i");
}

function findKeys({ id, keyVariables }: KnownProvider, environment: Environment): FoundProvider | undefined {
  if (id === "vertex") return findGoogleCredential(keyVariables, environment);
  for (const variable of keyVariables) {
    const keys = new Set([...listOf(environment[variable]), ...listOf(environment[`${variable}S`])]);
    if (keys.size === 0) continue;
    for (const key of keys) {
      if (!/^[\x21-\x7e]+$/.test(key))
        throw new ConfigError(`The variable ${variable} must be printable ASCII without spaces.`);
    }
    return { id, variable, keys: [...keys].map((key) => new Secret(key)) };
  }
  if (id === "azure") return findEntraCredential(environment);
  return id === "bedrock" ? findAwsKey(environment) : undefined;
}

/** The location of Vertex AI, by the variables that other programs read as well. */
function vertexLocationOf(environment: Environment): string | undefined {
  return environment.GOOGLE_VERTEX_LOCATION ?? environment.VERTEXAI_LOCATION ?? environment.CLOUD_ML_REGION;
}

/**
 * A service account, as JSON or as the path of its file. The variable that holds it for all of Google's services counts
 * only where a location of Vertex AI is said as well.
 */
function findGoogleCredential(variables: readonly string[], environment: Environment): FoundProvider | undefined {
  const location = vertexLocationOf(environment);
  const usual = location === undefined ? [] : ["GOOGLE_APPLICATION_CREDENTIALS"];
  const variable = [...variables, ...usual].find((name) => environment[name] !== undefined);
  const given = variable === undefined ? undefined : environment[variable];
  if (variable === undefined || given === undefined) return undefined;
  const fields = parseObject(isJsonText(given) ? given : readCredentialFile(variable, given));
  if (fields === undefined) throw new ConfigError(`The credential that ${variable} names is no JSON.`);
  const project =
    environment.GOOGLE_VERTEX_PROJECT ?? environment.VERTEXAI_PROJECT ?? environment.ANTHROPIC_VERTEX_PROJECT_ID;
  const text = JSON.stringify({ ...fields, ...(project && { project_id: project }), ...(location && { location }) });
  const cloud = readCloudCredential(text);
  if (typeof cloud === "string") throw new ConfigError(`The credential that ${variable} names can't be used. ${cloud}`);
  if (!cloud.hasAddress) throw new ConfigError(`${variable} names no project: set GOOGLE_VERTEX_PROJECT.`);
  return { id: "vertex", variable, keys: [new Secret(text)] };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readCredentialFile(variable: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new ConfigError(`The file that ${variable} names can't be read${code}.`);
  }
}

/** An application that is registered with Microsoft Entra. It counts only where Azure's address is said as well. */
function findEntraCredential(environment: Environment): FoundProvider | undefined {
  const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: client, AZURE_CLIENT_SECRET: secret } = environment;
  const azure = KNOWN_PROVIDERS.find(({ id }) => id === "azure");
  const isPlaced = azure !== undefined && baseOf(azure, environment)?.isInCredential !== true;
  if (tenant === undefined || client === undefined || secret === undefined || !isPlaced) return undefined;
  const authority = environment.AZURE_AUTHORITY_HOST;
  const fields = { tenant_id: tenant, client_id: client, client_secret: secret, authority_host: authority };
  const cloud = readCloudCredential(JSON.stringify(fields));
  if (typeof cloud === "string")
    throw new ConfigError(`The variables AZURE_TENANT_ID and others can't be used. ${cloud}`);
  return { id: "azure", variable: "AZURE_CLIENT_SECRET", keys: [new Secret(JSON.stringify(fields))] };
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

function baseOf({ id, baseUrl, baseVariables }: KnownProvider, environment: Environment): Base | undefined {
  const variable = baseVariables.find((name) => environment[name] !== undefined);
  const chosen = variable === undefined ? undefined : environment[variable];
  if (variable !== undefined && chosen !== undefined) {
    const url = parseEndpointUrl(chosen, true);
    if (typeof url === "string") throw new ConfigError(`The variable ${variable} is no base URL. ${url}`);
    const address = chosen.replace(/\/+$/, "");
    return {
      url: id === "azure" ? withApiVersion(address, environment) : address,
      chosen: true,
      ...placeOf(id, environment),
    };
  }
  const filled = baseUrl.replace(
    /\{(\w+)\}/g,
    (braces, name: string) => environment[name] ?? usualOf(name, environment) ?? braces,
  );
  if (filled.includes("{AZURE_RESOURCE_NAME}")) return { url: AZURE_ANYWHERE, chosen: false, isInCredential: true };
  if (filled.includes("{") || !URL.canParse(filled)) return undefined;
  return { url: filled, chosen: false, ...placeOf(id, environment) };
}

/** No resource can have this name: a model of this address is called only with a credential that names another. */
const AZURE_ANYWHERE = "https://-.openai.azure.com/openai/v1";

function placeOf(id: string, environment: Environment): { readonly location?: string } {
  const location = id === "vertex" ? vertexLocationOf(environment) : undefined;
  return location === undefined ? {} : { location };
}

/** Azure's older form has a version, and the deployment in its path; the newer one has neither. */
function withApiVersion(address: string, environment: Environment): string {
  const version = environment.AZURE_OPENAI_API_VERSION ?? environment.AZURE_API_VERSION;
  const { pathname, search } = new URL(address);
  const takesOne = search === "" && (pathname === "/" || pathname === "/openai");
  if (version === undefined || !takesOne || !/^\d{4}-\d{2}-\d{2}/.test(version)) return address;
  return `${address}?api-version=${encodeURIComponent(version)}`;
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
