import { Resolver } from "node:dns/promises";

const TIMEOUT_MS = 3_000;
const TRIES = 2;

/** The TXT records of a name by the system's DNS servers, or by those given. Empty where there are none or none answers. */
export async function lookUpTxtRecords(name: string, servers?: readonly string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  try {
    // A long record comes in pieces.
    return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(""));
  } catch {
    return [];
  }
}
