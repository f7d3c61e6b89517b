import { resolve } from "node:path";
import { z } from "zod";
import type { OutboundTlsSettings, TlsSettings } from "../../tls/tls-settings.ts";
import { ConfigError, type ConfigFile } from "./config-file.ts";

const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const DOMAINS_MAX = 100;

/** The variables of TLS. */
export const tlsVariables = {
  TRUNKLINE_TLS_CERT: z.string().min(1).optional(),
  TRUNKLINE_TLS_KEY: z.string().min(1).optional(),
  TRUNKLINE_HTTP_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  TRUNKLINE_HSTS_SECONDS: z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number of seconds")
    .transform(Number)
    .default(31_536_000),
  TRUNKLINE_ACME_DOMAINS: z
    .string()
    .transform((text) => text.split(",").map((name) => name.trim().toLowerCase()))
    .refine(
      (names) => names.length <= DOMAINS_MAX && names.every((name) => DOMAIN.test(name)),
      `must be at most ${DOMAINS_MAX} names with commas between them, such as ai.example.com; no wildcards`,
    )
    .optional(),
  TRUNKLINE_ACME_EMAIL: z
    .string()
    .regex(/^[^\s@,?]+@[^\s@,?]+$/, "must be an e-mail address")
    .optional(),
  TRUNKLINE_ACME_DIRECTORY: z
    .string()
    .regex(/^https:\/\/[^\s]+$/, "must begin with https://")
    .default(LETS_ENCRYPT),
  TRUNKLINE_ACME_AGREE_TERMS: z.enum(["yes", "no"]).default("no"),
};

type TlsVariables = z.output<z.ZodObject<typeof tlsVariables>>;

/** How TLS is spoken; undefined: it is not, and something before the service may do it. */
export function readTlsSettings(variables: TlsVariables): TlsSettings | undefined {
  const certificate = readCertificateTerms(variables);
  const httpPort = variables.TRUNKLINE_HTTP_PORT;
  if (certificate === undefined) {
    if (httpPort === undefined) return undefined;
    throw new ConfigError(
      "TRUNKLINE_HTTP_PORT only sends clients to https, which needs TRUNKLINE_TLS_CERT and TRUNKLINE_TLS_KEY, or TRUNKLINE_ACME_DOMAINS. For plain HTTP, set PORT.",
    );
  }
  return { certificate, httpPort, hstsSeconds: variables.TRUNKLINE_HSTS_SECONDS };
}

function readCertificateTerms(variables: TlsVariables): TlsSettings["certificate"] | undefined {
  const { TRUNKLINE_TLS_CERT: cert, TRUNKLINE_TLS_KEY: key, TRUNKLINE_ACME_DOMAINS: domains } = variables;
  if ((cert === undefined) !== (key === undefined))
    throw new ConfigError("Set both TRUNKLINE_TLS_CERT and TRUNKLINE_TLS_KEY, or neither.");
  if (cert !== undefined && key !== undefined) {
    if (domains !== undefined)
      throw new ConfigError("Set either TRUNKLINE_TLS_CERT and TRUNKLINE_TLS_KEY, or TRUNKLINE_ACME_DOMAINS.");
    return { kind: "files", certFile: resolve(cert), keyFile: resolve(key) };
  }
  if (domains === undefined) return undefined;
  if (variables.TRUNKLINE_ACME_AGREE_TERMS !== "yes") {
    throw new ConfigError(
      `TRUNKLINE_ACME_DOMAINS needs your agreement to the terms of the ACME server at ${variables.TRUNKLINE_ACME_DIRECTORY}. Read them, and set TRUNKLINE_ACME_AGREE_TERMS=yes.`,
    );
  }
  return {
    kind: "acme",
    domains: [...new Set(domains)],
    email: variables.TRUNKLINE_ACME_EMAIL,
    directory: variables.TRUNKLINE_ACME_DIRECTORY,
  };
}

/** An entry of `outbound_tls`. */
export function readOutboundTls(entry: ConfigFile["outbound_tls"][number]): OutboundTlsSettings {
  const pathOf = (file: string | undefined) => (file === undefined ? undefined : resolve(file));
  return {
    host: entry.host,
    caFile: pathOf(entry.ca_file),
    certFile: pathOf(entry.cert_file),
    keyFile: pathOf(entry.key_file),
  };
}

/** An ACME server reaches the service at the usual ports of its names. */
export function originOf(tls: TlsSettings | undefined): string | undefined {
  return tls?.certificate.kind === "acme" ? `https://${tls.certificate.domains[0]}` : undefined;
}
