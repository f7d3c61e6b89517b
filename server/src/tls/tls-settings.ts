/** How the service gets its certificate from an ACME server. */
export interface AcmeSettings {
  readonly domains: readonly string[];
  /** Where the ACME server may write to; undefined: nowhere. */
  readonly email: string | undefined;
  /** The address of the ACME server's directory. */
  readonly directory: string;
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
