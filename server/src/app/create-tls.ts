import { CertificateFiles } from "../tls/certificate-files.ts";
import type { CertificateSource } from "../tls/certificate-source.ts";
import { acmeCertificateName, type TlsSettings } from "../tls/tls-settings.ts";
import type { BaseServices, TlsServices } from "./services.ts";

/** Opens the service's certificate; undefined: the service speaks plain HTTP. Throws StartupError where it can't be used. */
export async function createTls(base: BaseServices): Promise<TlsServices | undefined> {
  const settings = base.config.tls;
  if (settings === undefined) return undefined;
  const certificates = await openCertificates(settings, base);
  certificates.onChange(() => base.log.info("The TLS certificate was changed."));
  let warnAtMs = Number.NEGATIVE_INFINITY;
  const sweep = async () => {
    const nowMs = base.clock.monotonicMs();
    if (nowMs >= warnAtMs && warnOfExpiry(certificates, base)) warnAtMs = nowMs + WARNING_MS;
  };
  return { settings, certificates, sweep };
}

const WARNING_MS = 3_600_000;

/** A certificate should have been replaced when so much of its time is left, or a sixth where that is less. */
const LEFT_MS_MIN = 14 * 86_400_000;

/** Returns whether there was something to warn of. */
function warnOfExpiry({ current }: CertificateSource, { clock, log }: BaseServices): boolean {
  if (current === undefined) return false;
  const { validFrom, validTo } = current;
  const leftMs = validTo - clock.now();
  if (leftMs > Math.min(LEFT_MS_MIN, (validTo - validFrom) / 6)) return false;
  const when = new Date(validTo).toISOString();
  const words = leftMs > 0 ? `The TLS certificate expires on ${when}.` : `The TLS certificate expired on ${when}.`;
  log.warn(`${words} Clients don't accept an expired one.`);
  return true;
}

async function openCertificates(settings: TlsSettings, base: BaseServices): Promise<CertificateSource> {
  const { database, instance, dialer, sealer, clock, log, warnThrottled } = base;
  const { certificate, httpPort } = settings;
  if (certificate.kind === "files") {
    const { certFile, keyFile } = certificate;
    return CertificateFiles.open({ certFile, keyFile, onWarning: (words, error) => log.warn({ error }, words) });
  }
  const [{ AcmeCertificates }, { PostgresAcmeCertificates }] = await Promise.all([
    import("../tls/acme/acme-certificates.ts"),
    import("../store/acme-certificates.ts"),
  ]);
  const certificates = new AcmeCertificates({
    settings: certificate,
    // The ACME server reaches the port of plain HTTP where there is one, and else that of TLS.
    kind: httpPort === undefined ? "tls-alpn-01" : "http-01",
    store: new PostgresAcmeCertificates(database, instance.id, acmeCertificateName(certificate), certificate.directory),
    dialer,
    sealer,
    clock,
    onIssued: (validTo) => log.info({ validTo: new Date(validTo) }, "A TLS certificate was issued."),
    onError: (error) => warnThrottled(error, "No TLS certificate could be ordered. It is tried again after a pause."),
  });
  await certificates.refresh();
  return certificates;
}
