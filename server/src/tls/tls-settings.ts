/** How the service gets its certificate from an ACME server. */
export interface AcmeSettings {
  readonly domains: readonly string[];
  /** Where the ACME server may write to; undefined: nowhere. */
  readonly email: string | undefined;
  /** The address of the ACME server's directory. */
  readonly directory: string;
}

/** What the key of the service's account at an ACME server is sealed for. */
export function acmeAccountOwner(directory: string): string {
  return `acme account ${directory}`;
}

/** The name of the certificate for these domains of this server, and what its key is sealed for. */
export function acmeCertificateName({ directory, domains }: Pick<AcmeSettings, "directory" | "domains">): string {
  return `acme ${directory} ${domains.toSorted().join(" ")}`;
}

/** How the service speaks TLS. */
export interface TlsSettings {
  readonly certificate:
    | { readonly kind: "files"; readonly certFile: string; readonly keyFile: string }
    | ({ readonly kind: "acme" } & AcmeSettings);
  /** The port of plain HTTP, which sends clients to TLS; undefined: there is none. */
  readonly httpPort: number | undefined;
  /** For how long browsers remember to use TLS alone; 0: they are not asked to. */
  readonly hstsSeconds: number;
}

/** What TLS with a host needs beside the system's certificate authorities. */
export interface OutboundTlsSettings {
  /** A name, an address, `*.` and a domain, or `*`. */
  readonly host: string;
  /** Trusted in place of the system's certificate authorities. */
  readonly caFile: string | undefined;
  /** What the service shows of itself. */
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}
