import { isObject, type JsonObject, nonEmptyText } from "@trunkline/core/json-object.ts";
import type { Model } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";

/** An access token that was requested with a credential. It is sent as a bearer token, whatever the provider's usual way. */
export class AccessToken extends Secret {}

/** How an access token is requested: a form that is posted to an identity service. */
export type TokenGrant =
  | {
      readonly kind: "google-service-account";
      readonly url: string;
      readonly email: string;
      readonly privateKey: string;
      readonly keyId: string | undefined;
    }
  | {
      /** The form holds everything, so that nothing has to be signed. */
      readonly kind: "form";
      readonly url: string;
      readonly form: Readonly<Record<string, string>>;
    };

/** A credential of a cloud: more than a key, and never sent to a model's endpoint itself. */
export interface CloudCredential {
  /** The provider that it is for. */
  readonly provider: "vertex" | "azure";
  /** Either a key that is sent, or how access tokens are requested. */
  readonly key: Secret | undefined;
  readonly grant: TokenGrant | undefined;
  /** The model at the address that the credential names. */
  readonly place: (model: Model) => Model;
  /** Whether it names the address itself. */
  readonly hasAddress: boolean;
  /** The name of a key or an application, or the key itself: its end tells the credential from others. */
  readonly label: string;
}

/** The hosts of identity services that any account's credential may name. Others are the operator's alone. */
const TOKEN_HOSTS: ReadonlySet<string> = new Set([
  "oauth2.googleapis.com",
  "www.googleapis.com",
  "accounts.google.com",
  "login.microsoftonline.com",
  "login.microsoftonline.us",
  "login.partner.microsoftonline.cn",
]);
const AZURE_HOST = /\.(openai|cognitiveservices|services\.ai)\.azure\.(com|us|cn)$/;
const GOOGLE_TOKEN_URL = "https://oauth2.googleapis.com/token";
const ENTRA_HOST = "https://login.microsoftonline.com";
const PROJECT = /^[a-z0-9][a-z0-9.:-]{1,62}$/;
const LOCATION = /^[a-z][a-z0-9-]{1,40}$/;
const API_VERSION = /^[\w-]{1,40}$/;
/** Where requests go unless a credential or the operator names a region. */
export const USUAL_LOCATION = "global";

/** Whether an identity service may be asked for an account that is not the operator's. */
export function isKnownTokenUrl(url: string): boolean {
  return url.startsWith("https://") && TOKEN_HOSTS.has(new URL(url).host);
}

const known = new WeakMap<Secret, CloudCredential | null>();

/** The cloud credential in a model's credential; undefined where that is a key, as almost always. */
export function cloudCredentialOf(credential: Secret | undefined): CloudCredential | undefined {
  if (credential === undefined || !isJsonText(credential.reveal())) return undefined;
  const remembered = known.get(credential);
  if (remembered !== undefined) return remembered ?? undefined;
  const read = readCloudCredential(credential.reveal());
  const cloud = typeof read === "string" ? null : read;
  known.set(credential, cloud);
  return cloud ?? undefined;
}

/**
 * Why an account's credential can't be used for a provider; undefined where it can. `isAddressKnown`: the operator has
 * set the provider's address, so that the credential need not.
 */
export function explainUnfitCredential(provider: string, text: string, isAddressKnown: boolean): string | undefined {
  if (!isJsonText(text)) {
    if (provider === "vertex")
      return "Vertex AI takes the JSON of a service account, with its `project_id` and, if you like, a `location`.";
    if (provider === "azure" && !isAddressKnown)
      return "It is not known where your Azure resource is: send JSON with its `endpoint` and `api_key`.";
    return undefined;
  }
  const cloud = readCloudCredential(text);
  if (typeof cloud === "string") return cloud;
  if (cloud.provider !== provider) return `This credential is one for ${cloud.provider}.`;
  if (cloud.grant !== undefined && !isKnownTokenUrl(cloud.grant.url))
    return "The credential names an identity service that is none of its cloud's.";
  if (cloud.hasAddress || (provider === "azure" && isAddressKnown)) return undefined;
  return provider === "vertex"
    ? "Add `project_id` to the credential."
    : "Add the resource's `endpoint` to the credential.";
}

/** Whether a credential is written as JSON. No provider's key is. */
export function isJsonText(text: string): boolean {
  return text.charCodeAt(0) === 0x7b || /^\s+\{/.test(text);
}

/** Reads a credential that is written as JSON, or says in a sentence what is wrong with it. */
export function readCloudCredential(text: string): CloudCredential | string {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    return "The credential begins like JSON and is none.";
  }
  if (!isObject(fields)) return "The credential begins like JSON and is no object.";
  if (fields.type === "service_account" || fields.type === "authorized_user") return readGoogle(fields);
  if (fields.tenant_id !== undefined || fields.api_key !== undefined) return readAzure(fields);
  return 'The credential is JSON of no known kind: Google\'s has `"type": "service_account"` or `"authorized_user"`, Azure\'s has `api_key`, or `tenant_id`, `client_id` and `client_secret`.';
}

function readGoogle(fields: JsonObject): CloudCredential | string {
  const project = nonEmptyText(fields.project_id) ?? nonEmptyText(fields.quota_project_id);
  const location = nonEmptyText(fields.location);
  if (project !== undefined && !PROJECT.test(project)) return "`project_id` in the credential is no project's name.";
  if (location !== undefined && !LOCATION.test(location)) return "`location` in the credential is no region's name.";
  const url = nonEmptyText(fields.token_uri) ?? GOOGLE_TOKEN_URL;
  if (!isHttpUrl(url)) return "`token_uri` in the credential is no address.";
  const grant = fields.type === "service_account" ? serviceAccountOf(fields, url) : userOf(fields, url);
  if (typeof grant === "string") return grant;
  return {
    provider: "vertex",
    key: undefined,
    grant,
    hasAddress: project !== undefined,
    label: nonEmptyText(fields.private_key_id) ?? nonEmptyText(fields.client_id) ?? "",
    place: remembering((model) => ({ ...model, endpoint: toVertexEndpoint(model.endpoint, project, location) })),
  };
}

function serviceAccountOf(fields: JsonObject, url: string): TokenGrant | string {
  const email = nonEmptyText(fields.client_email);
  const privateKey = nonEmptyText(fields.private_key);
  if (email === undefined || privateKey === undefined)
    return "The service account's credential lacks `client_email` or `private_key`.";
  if (!privateKey.includes("PRIVATE KEY-----")) return "`private_key` in the credential is no key in PEM.";
  return { kind: "google-service-account", url, email, privateKey, keyId: nonEmptyText(fields.private_key_id) };
}

/** What `gcloud auth application-default login` leaves behind. */
function userOf(fields: JsonObject, url: string): TokenGrant | string {
  const clientId = nonEmptyText(fields.client_id);
  const clientSecret = nonEmptyText(fields.client_secret);
  const refreshToken = nonEmptyText(fields.refresh_token);
  if (clientId === undefined || clientSecret === undefined || refreshToken === undefined)
    return "The user's credential lacks `client_id`, `client_secret` or `refresh_token`.";
  const form = {
    grant_type: "refresh_token",
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: refreshToken,
  };
  return { kind: "form", url, form };
}

/** Fills in `-`, which stands for the project and the location; a region has a host of its own. */
export function toVertexEndpoint(endpoint: string, project: string | undefined, location: string | undefined): string {
  const placed = endpoint
    .replace("/projects/-/", project === undefined ? "/projects/-/" : `/projects/${project}/`)
    .replace("/locations/-/", `/locations/${location ?? USUAL_LOCATION}/`);
  const region = /\/locations\/([^/]+)\//.exec(placed)?.[1] ?? USUAL_LOCATION;
  return region === USUAL_LOCATION
    ? placed
    : placed.replace("https://aiplatform.googleapis.com/", `https://${region}-aiplatform.googleapis.com/`);
}

function readAzure(fields: JsonObject): CloudCredential | string {
  const endpoint = nonEmptyText(fields.endpoint)?.replace(/\/+$/, "");
  const apiVersion = nonEmptyText(fields.api_version);
  if (endpoint !== undefined && !isAzureEndpoint(endpoint))
    return "`endpoint` in the credential has to be a resource's address, such as https://name.openai.azure.com.";
  if (apiVersion !== undefined && !API_VERSION.test(apiVersion))
    return "`api_version` in the credential is no version, such as 2024-10-21.";
  const deployments = deploymentsOf(fields.deployments);
  if (deployments === undefined)
    return "`deployments` in the credential has to be an object of models' names and their deployments' names.";
  const apiKey = nonEmptyText(fields.api_key);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    return "`api_key` in the credential must be printable ASCII without spaces.";
  const grant = apiKey === undefined ? entraGrantOf(fields) : undefined;
  if (typeof grant === "string") return grant;
  return {
    provider: "azure",
    key: apiKey === undefined ? undefined : new Secret(apiKey),
    grant,
    hasAddress: endpoint !== undefined,
    label: apiKey ?? nonEmptyText(fields.client_id) ?? "",
    place: remembering((model) => {
      const name = model.upstreamModel ?? model.name;
      const upstreamModel = deployments.get(name) ?? model.upstreamModel;
      // A registered model has its own address; a discovered one is wherever the account's resource is.
      if (endpoint === undefined || model.discovered !== true) return { ...model, upstreamModel };
      const address = apiVersion === undefined ? `${endpoint}/openai/v1` : `${endpoint}?api-version=${apiVersion}`;
      return { ...model, upstreamModel, endpoint: address };
    }),
  };
}

/** The client credentials of an application that is registered with Microsoft Entra. */
function entraGrantOf(fields: JsonObject): TokenGrant | string {
  const tenant = nonEmptyText(fields.tenant_id);
  const clientId = nonEmptyText(fields.client_id);
  const clientSecret = nonEmptyText(fields.client_secret);
  if (tenant === undefined || clientId === undefined || clientSecret === undefined)
    return "The credential lacks `tenant_id`, `client_id` or `client_secret`.";
  if (!/^[\w.-]{1,128}$/.test(tenant)) return "`tenant_id` in the credential is no tenant.";
  const authority = (nonEmptyText(fields.authority_host) ?? ENTRA_HOST).replace(/\/+$/, "");
  if (!isHttpUrl(authority)) return "`authority_host` in the credential is no address.";
  const cloud = /\.(us|cn)$/.exec(new URL(authority).hostname)?.[1] ?? "com";
  const form = {
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
    scope: `https://cognitiveservices.azure.${cloud}/.default`,
  };
  return { kind: "form", url: `${authority}/${tenant}/oauth2/v2.0/token`, form };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function isAzureEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, port, pathname, search } = new URL(text);
  return protocol === "https:" && AZURE_HOST.test(hostname) && port === "" && pathname === "/" && search === "";
}

function deploymentsOf(value: unknown): ReadonlyMap<string, string> | undefined {
  if (value === undefined || value === null) return new Map();
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const isText = entries.every(([, name]) => typeof name === "string" && /^[\w.-]{1,64}$/.test(name));
  return isText ? new Map(entries.map(([model, name]) => [model, String(name)])) : undefined;
}

/** A model is replaced when it changes, so that its place is found once. */
function remembering(place: (model: Model) => Model): (model: Model) => Model {
  const placed = new WeakMap<Model, Model>();
  return (model) => {
    const remembered = placed.get(model);
    if (remembered !== undefined) return remembered;
    const found = place(model);
    placed.set(model, found);
    return found;
  };
}
