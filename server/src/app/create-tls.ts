import { StartupError } from "@trunkline/core/fault.ts";
import { CertificateFiles } from "../tls/certificate-files.ts";
import type { BaseServices, TlsServices } from "./services.ts";

/** Opens the service's certificate; undefined: the service speaks plain HTTP. Throws StartupError where it can't be used. */
export async function createTls({ config, log }: BaseServices): Promise<TlsServices | undefined> {
  const settings = config.tls;
  if (settings === undefined) return undefined;
  const { certificate } = settings;
  if (certificate.kind !== "files") throw new StartupError("Certificates of ACME servers are not supported yet.");
  const certificates = await CertificateFiles.open({
    certFile: certificate.certFile,
    keyFile: certificate.keyFile,
    onWarning: (words, error) => log.warn({ error }, words),
  });
  certificates.onChange(() => log.info("The TLS certificate was changed."));
  return { settings, certificates };
}
