import { readFile } from "node:fs/promises";
import { createClient } from "@trunkline/sdk";
import { findProofMistake, isRecord, readBalanceProof } from "../balance-proof.ts";
import { type Command, type Invocation, takeWords, UsageError } from "../command.ts";
import { findCredentials } from "../credentials.ts";

/** `trunkline verify-proof` */
export const verifyProofCommand: Command = {
  help: `Checks that your balance is part of what the service says that it owes.

  trunkline verify-proof <file>              a saved answer of GET /v1/balance/proof; nothing is asked
  trunkline verify-proof <URL of a service>  your own proof at the service that you are logged in to
  --published <file or URL>                  also compares with this published proof (GET /v1/proof)

Ends with 0 where the proof holds, with 1 where it does not.`,
  options: { published: { type: "string" } },
  async run(invocation) {
    const { words, print } = invocation;
    const [source] = takeWords(words, 1);
    if (source === undefined) throw new UsageError("Say which file, or the URL of which service.");
    const proof = readBalanceProof(isUrl(source) ? await askForProof(invocation, source) : await readJson(source));
    if (proof === undefined) throw new UsageError(`${source} has no proof: save an answer of GET /v1/balance/proof.`);
    const published = invocation.text("published") ?? (isUrl(source) ? source : undefined);
    const mistake =
      findProofMistake(proof) ??
      (published === undefined ? undefined : comparePublished(proof, await readPublished(published)));
    if (mistake !== undefined) {
      process.exitCode = 1;
      return print(`The proof does not hold. ${mistake}`);
    }
    print(
      `The proof holds: account ${proof.account_id} has ${creditsOf(proof.amount)} of ${creditsOf(proof.total)} credits.`,
    );
    print(`root ${proof.root}`);
    if (published === undefined)
      print("Compare the root and the total with what the service published at GET /v1/proof.");
  },
};

function isUrl(text: string): boolean {
  return /^https?:\/\//.test(text);
}

async function askForProof({ terminal }: Invocation, source: string): Promise<unknown> {
  const { url, key } = await findCredentials({ ...terminal.env, TRUNKLINE_URL: source });
  return createClient({ baseUrl: url, key }).call("GET /v1/balance/proof");
}

async function readPublished(source: string): Promise<unknown> {
  if (!isUrl(source)) return readJson(source);
  const response = await fetch(new URL("/v1/proof", source), { redirect: "error" });
  return response.json();
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Any of the published proofs may be the one: the newest may have been made since. */
function comparePublished(proof: { readonly root: string; readonly total: string }, published: unknown) {
  const list = isRecord(published) && Array.isArray(published.data) ? (published.data as unknown[]) : [];
  const isPublished = list.some((entry) => isRecord(entry) && entry.root === proof.root && entry.total === proof.total);
  return isPublished ? undefined : "Its root and total are not among those that were published.";
}

/** Nano-credits as credits, exactly. */
function creditsOf(amount: string): string {
  const digits = amount.padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, "");
}
