import { RpcAway, type RpcNode, RpcRefusal } from "./json-rpc.ts";

/** Nodes say different things of the same block. Nothing may be credited by it. */
export class NodesDisagree extends Error {
  override readonly name = "NodesDisagree";
}

/** What every node that answers says. More than half of the nodes must answer. */
export async function readFromMajority<Result>(
  nodes: readonly RpcNode[],
  read: (node: RpcNode) => Promise<Result>,
): Promise<readonly Result[]> {
  const outcomes = await Promise.allSettled(nodes.map(read));
  const answers = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  if (answers.length * 2 > nodes.length) return answers;
  const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  // A refusal says more than silence: the caller may ask for less.
  const refusal = reasons.find((reason) => reason instanceof RpcRefusal);
  if (refusal !== undefined) throw refusal;
  throw new RpcAway("Too few nodes of the chain answer.", { cause: reasons[0] });
}

/** The same, where all must say the same. */
export async function readAgreed<Result>(
  nodes: readonly RpcNode[],
  what: string,
  read: (node: RpcNode) => Promise<Result>,
): Promise<Result> {
  const answers = await readFromMajority(nodes, read);
  const [first] = answers;
  if (first === undefined) throw new RpcAway("No node of the chain answers.");
  if (new Set(answers.map(toComparable)).size > 1) {
    throw new NodesDisagree(
      `The nodes ${nodes.map(({ host }) => host).join(", ")} disagree on ${what}. Nothing is credited by it until they agree.`,
    );
  }
  return first;
}

function toComparable(answer: unknown): string {
  return JSON.stringify(answer, (_key, value: unknown) => (typeof value === "bigint" ? `${value}n` : value)) ?? "";
}
