import { createHash } from "node:crypto";

/** An account's part of a proof of liabilities, as the API answers it. Amounts are whole nano-credits, as text. */
export interface BalanceProof {
  readonly account_id: string;
  readonly amount: string;
  readonly salt: string;
  /** What stands beside the way from the account's leaf to the root. */
  readonly path: readonly ProofStep[];
  readonly root: string;
  readonly total: string;
}

/** The node beside the way: on which side it is, its hash, and the sum below it. */
export interface ProofStep {
  readonly side: "left" | "right";
  readonly hash: string;
  readonly sum: string;
}

/** Sums are below 2⁶³, and written with 8 bytes. */
const SUM_LIMIT = 2n ** 63n;
const SUM_BYTES = 8;
/** More levels than any tree has. */
const PATH_MAX = 64;

interface Node {
  readonly hash: Buffer;
  readonly sum: bigint;
}

/**
 * Checks a proof without asking anyone. Returns what is wrong with it; undefined: the root commits to this leaf, and to a
 * total that contains its amount. Each node's hash covers both sums below it, and no sum may be negative, so that a
 * service can't make its total smaller than what accounts can prove.
 */
export function findProofMistake(proof: BalanceProof): string | undefined {
  const amount = readSum(proof.amount);
  const total = readSum(proof.total);
  const salt = readHash(proof.salt);
  const account = readAccount(proof.account_id);
  if (amount === undefined || total === undefined) return "An amount is not a whole number from 0 to 2⁶³ - 1.";
  if (salt === undefined || account === undefined) return "The account's id or its salt is not well-formed.";
  if (proof.path.length > PATH_MAX) return "The path is longer than that of any tree.";
  let node: Node = { hash: hashLeaf(account, salt, amount), sum: amount };
  for (const [index, step] of proof.path.entries()) {
    const sum = readSum(step.sum);
    const hash = readHash(step.hash);
    if (sum === undefined) return `Step ${index + 1}: the sum is not a whole number from 0 to 2⁶³ - 1.`;
    if (hash === undefined) return `Step ${index + 1}: the hash is not well-formed.`;
    if (node.sum + sum >= SUM_LIMIT) return `Step ${index + 1}: the sums together are too large.`;
    node = step.side === "left" ? joinNodes({ hash, sum }, node) : joinNodes(node, { hash, sum });
  }
  if (node.sum !== total) return `The path adds up to ${node.sum}, and the total is ${total}.`;
  if (node.hash.toString("hex") !== proof.root) return "The path does not lead to the root.";
  return undefined;
}

/** A file's or an answer's JSON as a proof; undefined where it is none. */
export function readBalanceProof(value: unknown): BalanceProof | undefined {
  if (!isRecord(value) || !Array.isArray(value.path)) return undefined;
  const { account_id, amount, salt, root, total } = value;
  const isText = (text: unknown) => typeof text === "string";
  const path: ProofStep[] = [];
  for (const step of value.path as unknown[]) {
    if (!isRecord(step) || (step.side !== "left" && step.side !== "right")) return undefined;
    if (!isText(step.hash) || !isText(step.sum)) return undefined;
    path.push({ side: step.side, hash: String(step.hash), sum: String(step.sum) });
  }
  if (![account_id, amount, salt, root, total].every(isText)) return undefined;
  return {
    account_id: String(account_id),
    amount: String(amount),
    salt: String(salt),
    root: String(root),
    total: String(total),
    path,
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** A leaf's hash begins with 0 and a node's with 1, so that neither can stand for the other. */
function hashLeaf(account: Buffer, salt: Buffer, amount: bigint): Buffer {
  return sha256([Buffer.of(0), account, salt, encodeSum(amount)]);
}

function joinNodes(left: Node, right: Node): Node {
  const hash = sha256([Buffer.of(1), left.hash, encodeSum(left.sum), right.hash, encodeSum(right.sum)]);
  return { hash, sum: left.sum + right.sum };
}

function sha256(parts: readonly Buffer[]): Buffer {
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}

function encodeSum(sum: bigint): Buffer {
  const bytes = Buffer.alloc(SUM_BYTES);
  bytes.writeBigUInt64BE(sum);
  return bytes;
}

function readSum(text: string): bigint | undefined {
  if (!/^(0|[1-9]\d{0,18})$/.test(text)) return undefined;
  const sum = BigInt(text);
  return sum < SUM_LIMIT ? sum : undefined;
}

function readHash(text: string): Buffer | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : undefined;
}

function readAccount(text: string): Buffer | undefined {
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
  return isId ? Buffer.from(text.replaceAll("-", ""), "hex") : undefined;
}
