import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { PostgresAcmeCertificates } from "../../store/acme-certificates.ts";
import { readCertificate } from "../../tls/certificate.ts";
import { acmeCertificateName, type TlsSettings } from "../../tls/tls-settings.ts";
import { type CheckInput, durationText, type Finding, failed, note, ok } from "./finding.ts";

/** The certificate: whether it can be used, for how long, and for the service's own name. */
export async function checkTls(input: CheckInput): Promise<Finding[]> {
  const { tls, publicUrl } = input.config;
  if (tls === undefined) {
    return publicUrl?.startsWith("http://") === true && !/^http:\/\/(localhost|127\.|\[::1\])/.test(publicUrl)
      ? [
          failed(
            `TRUNKLINE_PUBLIC_URL is ${publicUrl}: keys and sessions would cross the network in the clear. Use TLS.`,
          ),
        ]
      : [note("The service speaks plain HTTP. Put TLS before it, or give it a certificate (TRUNKLINE_TLS_CERT).")];
  }
  const chain = await readChain(input, tls);
  return typeof chain === "string" ? checkChain(chain, input) : [chain];
}

/** The chain in PEM form, or what keeps it from being used. */
async function readChain({ database }: CheckInput, { certificate }: TlsSettings): Promise<string | Finding> {
  if (certificate.kind === "files") {
    try {
      const [chain, key] = await Promise.all([
        readFile(certificate.certFile, "utf8"),
        readFile(certificate.keyFile, "utf8"),
      ]);
      return readCertificate(chain, key).chain;
    } catch (error) {
      return failed(
        `The certificate in ${certificate.certFile} can't be used: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  if (typeof database === "string") return failed(`The certificate can't be read. ${database}`);
  const store = new PostgresAcmeCertificates(
    database,
    "doctor",
    acmeCertificateName(certificate),
    certificate.directory,
  );
  const { certificate: stored } = await store.read();
  return stored?.chain ?? failed("No certificate was issued by ACME yet. The log of the service says why.");
}

function checkChain(chain: string, { config, now }: CheckInput): Finding[] {
  const certificate = new X509Certificate(chain);
  const [validFrom, validTo] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const left = validTo - now();
  const words = `The certificate for ${certificate.subjectAltName?.replaceAll("DNS:", "") ?? certificate.subject}`;
  const findings =
    left <= 0
      ? [failed(`${words} expired ${durationText(left)} ago. Clients refuse it.`)]
      : validFrom > now()
        ? [failed(`${words} is not valid before ${certificate.validFrom}.`)]
        : [
            left < (validTo - validFrom) / 6
              ? note(`${words} expires in ${durationText(left)}. Renew it.`)
              : ok(`${words} is valid for ${durationText(left)}.`),
          ];
  const host = config.publicUrl === undefined ? undefined : new URL(config.publicUrl).hostname;
  if (host !== undefined && !fits(certificate, host))
    findings.push(failed(`${words} is not for ${host}, the host of TRUNKLINE_PUBLIC_URL.`));
  return findings;
}

function fits(certificate: X509Certificate, host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  return (isIP(address) === 0 ? certificate.checkHost(host) : certificate.checkIP(address)) !== undefined;
}
