import { parseArgs } from "node:util";
import { openDatabase } from "../../store/database/database.ts";
import { PostgresSealedBoxes } from "../../store/sealed-boxes.ts";
import type { Config } from "../config/config.ts";
import { explainError } from "../explain-error.ts";
import { findSecrets, pathsIn, removeSecretFallback, rotateSecretFile, type ServiceSecrets } from "../secret-files.ts";
import { SecretRotation } from "../secret-rotation.ts";
import { withStore } from "./with-store.ts";

const HELP = `Changes the secret in the data folder. The service encrypts with the new one from its next start or reload on, and encrypts
again what the old one had encrypted; the old one stays beside it until then.

  trunkline rotate-secret             makes the new secret
  trunkline rotate-secret --finish    deletes the old one, once no value needs it

With TRUNKLINE_SECRET there is no file: set it to the new secret, and TRUNKLINE_SECRET_FALLBACK to the old one.
Ends with 0 when it is done, 1 when it can't be, 2 when the command line is wrong.`;

type Site = Pick<Config, "databaseUrl" | "dataDir" | "secret">;

/** `trunkline rotate-secret`: returns the exit code. */
export async function rotateSecretCommand(
  args: readonly string[],
  readSite: () => Site,
  out: (line: string) => void,
): Promise<number> {
  let isFinish: boolean;
  try {
    const options = { help: { type: "boolean", short: "h" }, finish: { type: "boolean" } } as const;
    const { values } = parseArgs({ args: [...args], options });
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    isFinish = values.finish === true;
  } catch (error) {
    out(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return 2;
  }
  try {
    const refusal = await rotate(readSite(), isFinish, out);
    if (refusal === undefined) return 0;
    out(refusal);
  } catch (error) {
    out(explainError(error));
  }
  return 1;
}

/** Returns why it can't be done; undefined: it is. */
async function rotate(site: Site, isFinish: boolean, out: (line: string) => void): Promise<string | undefined> {
  const { dataDir, secret: configured } = site;
  if (configured !== undefined)
    return "TRUNKLINE_SECRET is set, so that the secret is not in the data folder. Set it to a new one, TRUNKLINE_SECRET_FALLBACK to the one before, and restart.";
  const secrets = await findSecrets(dataDir);
  if (secrets === undefined) return `There is no secret in ${dataDir}: the first start makes it.`;
  if (!isFinish) {
    if (secrets.fallback !== undefined)
      return "The secret was changed before, and values may still need the one before that. Run: trunkline rotate-secret --finish";
    await rotateSecretFile(dataDir);
    out(
      `There is a new secret in ${pathsIn(dataDir).current}. Restart the service, or reload it where it has several workers. Keep ${pathsIn(dataDir).fallback} until \`trunkline rotate-secret --finish\` deletes it.`,
    );
    return undefined;
  }
  if (secrets.fallback === undefined) return "The secret is not being changed: there is nothing to finish.";
  const left = await countLeft(site, secrets);
  if (left === undefined)
    return "No service has run with the new secret yet. Restart it, or reload it where it has several workers; after a minute try again.";
  if (left > 0)
    return `${left} values are not encrypted with the new secret yet. A running service encrypts them within minutes; then try again.`;
  await removeSecretFallback(dataDir);
  out("The old secret is deleted. Nothing needs it any more.");
  return undefined;
}

/** How many values still need the old secret; undefined: a service may still write such values. */
async function countLeft(site: Site, secrets: ServiceSecrets): Promise<number | undefined> {
  return withStore(site, async (address) => {
    const database = openDatabase(address, () => undefined, { connections: 1 });
    try {
      const rotation = new SecretRotation({
        ...secrets,
        store: new PostgresSealedBoxes(database),
        clock: { monotonicMs: () => 0 },
        log: { info: () => undefined, warn: () => undefined },
      });
      if (!(await rotation.isTakenOver())) return undefined;
      return (await rotation.count()).reduce((sum, { all, current }) => sum + all - current, 0);
    } finally {
      await database.close();
    }
  });
}
