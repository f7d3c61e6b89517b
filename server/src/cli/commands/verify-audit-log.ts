import { createHash, createPublicKey, verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Command, takeWords, UsageError } from "../command.ts";

const FORMAT = "trunkline-audit-log/1";

/** `trunkline verify-audit-log` */
export const verifyAuditLogCommand: Command = {
  help: `Checks an export of the audit log without asking the service.

  trunkline verify-audit-log <file> [--key K]

The file is a saved answer of GET /v1/audit-log/export. K is the service's key, as GET /v1/audit-log/key showed it; without it
the signature is checked by the key in the file, and you compare that.
Ends with 0 where the export is as the service signed it, with 1 where it is not.`,
  options: { key: { type: "string" } },
  async run({ words, print, text }) {
    const [file] = takeWords(words, 1);
    if (file === undefined) throw new UsageError("Say which file.");
    const content = await readFile(file, "utf8").catch((error: unknown) => {
      throw new UsageError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
    });
    const expected = text("key");
    const outcome = verifyAuditLog(content, expected);
    if (typeof outcome === "string") {
      process.exitCode = 1;
      return print(`The export is not as it was signed. ${outcome}`);
    }
    print(`The export is as the service signed it: ${outcome.events} events.`);
    print(`key ${outcome.key}`);
    if (expected === undefined) print("Compare the key with what the service showed at GET /v1/audit-log/key.");
  },
};

/** What an export holds, or why it can't be believed. */
export function verifyAuditLog(
  content: string,
  expectedKey: string | undefined,
): { readonly events: number; readonly key: string } | string {
  const lines = content.split("\n");
  if (lines.at(-1) !== "" || lines.length < 3) return "It is cut off, or is no export of an audit log.";
  const head = parse(lines[0]);
  const end = parse(lines.at(-2));
  if (head?.format !== FORMAT || typeof head.key !== "string") return "It is no export of an audit log.";
  if (typeof end?.signature !== "string" || typeof end.sha256 !== "string") return "Its last line has no signature.";
  if (expectedKey !== undefined && expectedKey !== head.key) return `It was signed with another key, ${head.key}.`;
  const signed = lines.slice(0, -2).map((line) => `${line}\n`);
  const digest = createHash("sha256").update(signed.join("")).digest("hex");
  if (digest !== end.sha256) return "Its lines were changed.";
  if (head.events !== signed.length - 1) return "It does not have as many events as it says.";
  return isSigned(digest, end.signature, head.key)
    ? { events: signed.length - 1, key: head.key }
    : "The signature is not of this key.";
}

function isSigned(digest: string, signature: string, key: string): boolean {
  try {
    const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" });
    return verify(null, Buffer.from(`${FORMAT}\n${digest}`), publicKey, Buffer.from(signature, "base64url"));
  } catch {
    return false;
  }
}

function parse(line: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line ?? "");
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
