/** A link as far as it has been read. */
export interface Link {
  readonly url: string;
  /** Whether the client loads it by itself, as it does a picture. */
  readonly isAutoLoaded: boolean;
  /** Whether it is what a link or a tag leads to, and no mere mention. */
  readonly isTarget: boolean;
}

/** The parts of a web address. */
export interface WebAddress {
  /** What stands before an @. */
  readonly user: string;
  readonly host: string;
  readonly path: string;
  /** Query and fragment. */
  readonly query: string;
}

const WEB = /^(?:(?:https?|ftp|wss?):)?[/\\]{2}([^/\\?#]*)([^?#]*)(.*)$/is;

/** undefined: it is no web address, or its host may still go on. */
export function parseWebAddress(url: string): WebAddress | undefined {
  const [, authority, path = "", query = ""] = WEB.exec(url) ?? [];
  if (authority === undefined || authority === "") return undefined;
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1).replace(/:\d{0,5}$/, "");
  return { user: authority.slice(0, Math.max(0, at)), host: host.toLowerCase(), path, query };
}
