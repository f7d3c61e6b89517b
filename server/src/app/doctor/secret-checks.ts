import { stat } from "node:fs/promises";
import type { Secret } from "@trunkline/core/secret.ts";
import { PostgresSealedBoxes } from "../../store/sealed-boxes.ts";
import { findSecrets, pathsIn } from "../secret-files.ts";
import { SecretRotation } from "../secret-rotation.ts";
import { type CheckInput, type Finding, failed, note, ok } from "./finding.ts";

/** How many values of each kind are opened. Those of the current secret are known without. */
const OPENED_MAX = 200;

/** Whether everything that is encrypted can be opened, and whether an old secret is still needed. */
export async function checkSecrets(input: CheckInput): Promise<Finding[]> {
  const { config, database } = input;
  const isFile = config.secret === undefined;
  const secrets =
    config.secret === undefined
      ? await findSecrets(config.dataDir)
      : { secret: config.secret, fallback: config.secretFallback };
  if (secrets === undefined)
    return [note(`There is no secret yet: the first start makes it in ${pathsIn(config.dataDir).current}.`)];
  const findings = isFile ? await checkFile(pathsIn(config.dataDir).current) : checkStrength(secrets.secret);
  if (typeof database === "string") return [...findings, failed(`What it encrypts can't be read. ${database}`)];
  const rotation = new SecretRotation({
    ...secrets,
    store: new PostgresSealedBoxes(database),
    clock: { monotonicMs: () => 0 },
    log: { info: () => undefined, warn: () => undefined },
  });
  const counts = await rotation.count();
  const all = counts.reduce((sum, count) => sum + count.all, 0);
  const left = counts.reduce((sum, count) => sum + count.all - count.current, 0);
  const unreadable = await rotation.findUnreadable(OPENED_MAX);
  for (const [what, count] of unreadable)
    findings.push(
      failed(
        `At least ${count} ${what} can't be decrypted: they were encrypted under another secret. Put that secret back, or into ${isFile ? pathsIn(config.dataDir).fallback : "TRUNKLINE_SECRET_FALLBACK"}.`,
      ),
    );
  if (unreadable.size === 0) findings.push(ok(`All ${all} encrypted values can be decrypted.`));
  if (secrets.fallback !== undefined) findings.push(rotationFinding(left, isFile));
  return findings;
}

function rotationFinding(left: number, isFile: boolean): Finding {
  if (left === 0)
    return note(
      `No value needs the old secret any more. ${isFile ? "Run: trunkline rotate-secret --finish" : "Remove TRUNKLINE_SECRET_FALLBACK from every instance."}`,
    );
  return note(
    `${left} values are not encrypted with the new secret yet. Keep the old one; the running service encrypts them again within minutes.`,
  );
}

async function checkFile(path: string): Promise<Finding[]> {
  const { mode } = await stat(path);
  return (mode & 0o077) === 0 || process.platform === "win32"
    ? [ok(`The secret is in ${path}, which only its owner can read.`)]
    : [failed(`Others can read the secret in ${path}. Run: chmod 600 ${path}`)];
}

const CHARACTERS_MIN = 32;

function checkStrength(secret: Secret): Finding[] {
  const text = secret.reveal();
  const isWeak = text.length < CHARACTERS_MIN || new Set(text).size < 10;
  return isWeak
    ? [note("TRUNKLINE_SECRET is short or repeats itself. Change it to one of: openssl rand -hex 32")]
    : [ok("TRUNKLINE_SECRET is set, and long enough.")];
}
