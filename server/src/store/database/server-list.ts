/** One PostgreSQL server. */
export interface ServerAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
}

/** What a server must be for a connection to be of use, in libpq's words. */
export const SERVER_ROLES = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"] as const;
export type ServerRole = (typeof SERVER_ROLES)[number];

/** The servers of a connection string, and what is sought among them. */
export interface ServerList {
  readonly servers: readonly ServerAddress[];
  readonly role: ServerRole;
  /** Names the first server alone, as `pg` takes it. */
  readonly connectionString: string;
}

const DEFAULT_PORT = 5432;

/**
 * Reads a connection string with several servers as libpq does: `postgres://a:5432,b:5433/db`, or `host=a,b` and
 * `port=5432,5433` as parameters; `target_session_attrs` says which of them will do. undefined: it names one server and
 * asks nothing of it. Throws a sentence about what is wrong, without the password.
 */
export function readServerList(
  connectionString: string,
  defaultRole: ServerRole = "read-write",
): ServerList | undefined {
  const [, scheme = "", authority = "", path = "", query = ""] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(connectionString) ?? [];
  const parameters = new URLSearchParams(query);
  const login = authority.slice(0, authority.lastIndexOf("@") + 1);
  const named = authority.slice(login.length);
  const sought = parameters.get("target_session_attrs");
  const hosts = parameters.get("host");
  if (sought === null && !(hosts ?? named).includes(",")) return undefined;
  const servers =
    hosts === null ? readHosts(named) : joinHosts(hosts, parameters.get("port") ?? /:(\d+)$/.exec(named)?.[1]);
  const [first] = servers;
  if (first === undefined) throw new Error("names no server.");
  const role = sought === null ? defaultRole : SERVER_ROLES.find((known) => known === sought);
  if (role === undefined) throw new Error(`has a target_session_attrs that is not one of ${SERVER_ROLES.join(", ")}.`);
  for (const name of ["target_session_attrs", "host", "port"]) parameters.delete(name);
  const isFolder = first.host.startsWith("/");
  if (isFolder) parameters.set("host", first.host);
  const host = isFolder ? "localhost" : first.host.includes(":") ? `[${first.host}]` : first.host;
  const rest = parameters.size === 0 ? "" : `?${parameters.toString()}`;
  return { servers, role, connectionString: `${scheme}${login}${host}:${first.port}${path}${rest}` };
}

/** The servers in the place of a host: `a:5432,b,[::1]:5433`. */
function readHosts(text: string): ServerAddress[] {
  return text.split(",").map((one) => {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(one) ?? [];
    const host = bracketed ?? plain;
    if (host === undefined) throw new Error(`has a server "${one}" that is not of the form host:port.`);
    return { host: decodeURIComponent(host), port: readPort(port) };
  });
}

/** The servers of the parameters `host` and `port`: one port for all, or one for each. */
function joinHosts(hosts: string, ports: string | undefined): ServerAddress[] {
  const names = hosts.split(",");
  const numbers = (ports ?? "").split(",");
  if (numbers.length > 1 && numbers.length !== names.length)
    throw new Error(`names ${names.length} servers and ${numbers.length} ports.`);
  return names.map((host, index) => {
    if (host === "") throw new Error("has an empty name among its servers.");
    return { host, port: readPort(numbers.length === 1 ? numbers[0] : numbers[index]) };
  });
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`has a port "${text}" that is none.`);
  return port;
}
