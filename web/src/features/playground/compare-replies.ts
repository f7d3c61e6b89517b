import { lastReply, type Turn } from "./conversation.ts";

/** What a model did best among those that replied. */
export interface Distinction {
  readonly kind: "cheapest" | "fastest";
  /** How much less it took than the next best, as a share of that. */
  readonly share: number;
}

/** Smaller differences are chance. */
const LEAST_SHARE = 0.01;

/** What the reply of a column has ahead of all others; nothing until every model is done. */
export function distinctionsOf(turn: Turn, columnIds: readonly string[], columnId: string): readonly Distinction[] {
  const replies = columnIds.map((id) => ({ id, reply: lastReply(turn, id) }));
  if (replies.length < 2 || replies.some(({ reply }) => reply?.status !== "done")) return [];
  const least = (kind: Distinction["kind"], of: (id: string) => number | undefined) => {
    const own = of(columnId);
    const others = columnIds.filter((id) => id !== columnId).map(of);
    if (own === undefined || others.includes(undefined)) return [];
    const next = Math.min(...others.map(Number));
    const share = next > 0 ? 1 - own / next : 0;
    return share >= LEAST_SHARE ? [{ kind, share }] : [];
  };
  return [
    ...least("cheapest", (id) => sumOf(turn, id, "cost")),
    ...least("fastest", (id) => sumOf(turn, id, "totalMs")),
  ];
}

/** Over all replies to one message: one that calls a tool is followed by another. */
function sumOf(turn: Turn, columnId: string, field: "cost" | "totalMs"): number | undefined {
  const values = (turn.replies[columnId] ?? []).map((reply) => reply[field]);
  return values.includes(undefined) ? undefined : values.reduce<number>((sum, value) => sum + Number(value), 0);
}
