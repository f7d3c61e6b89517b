import { HEADS } from "../../server/src/safety/model/heads.ts";
import type { Examples } from "./examples.ts";
import type { Row } from "./rows.ts";

/** A source that has four times the rows counts about twice as much; for attacks by users, whose sources are very unequal, less. */
const DAMPING = 0.5;
const USER_DAMPING = 0.75;
/** Harmless texts that look like attacks, and our own attacks, which look least like each other, count more. */
const LOOK_ALIKE =
  /^(?:trigger_words|contrast_trigger|roleplay|llm_security_question|format_instructions|structured|elaborate_frame|quoted_attack_text|disguised)$/;
const LOOK_ALIKE_WEIGHT = 3;
const OWN_ATTACK_WEIGHT = 2;
const MOST = 8;
/** All that speaks for a head counts so much of what speaks against it. */
const FOR_SHARE = 0.6;

/** How much each example counts for each head, such that no source drowns the others; those that `isTaught` leaves out count nothing. */
export function balanced(
  examples: Examples,
  rows: readonly Row[],
  isTaught: (row: number) => boolean,
): Float32Array {
  const { size, row, wanted, weight } = examples;
  const heads = HEADS.length;
  const balancedWeight = new Float32Array(size * heads);
  for (let head = 0; head < heads; head++) {
    const isUserAttack = HEADS[head] === "attack_user";
    const damping = isUserAttack ? USER_DAMPING : DAMPING;
    const groups = new Map<string, number>();
    const groupOf = (at: number) => {
      const { source, category } = rows[row[at] ?? 0] ?? { source: "", category: "" };
      return `${wanted[at * heads + head]} ${source} ${source.startsWith("ours") || source.includes("GPTeacher") || source.includes("XSafety") ? (category.split("/")[0] ?? "") : ""}`;
    };
    for (let at = 0; at < size; at++) {
      const counts = weight[at * heads + head] ?? 0;
      if (counts > 0 && isTaught(row[at] ?? 0))
        groups.set(groupOf(at), (groups.get(groupOf(at)) ?? 0) + counts);
    }
    const total = [0, 0];
    for (const [name, sum] of groups) {
      const side = name.startsWith("1") ? 1 : 0;
      total[side] = (total[side] ?? 0) + sum ** (1 - damping);
    }
    const [against = 0, speakingFor = 0] = total;
    if (against === 0 || speakingFor === 0) continue;
    // On average an example counts about one.
    const whole = [...groups.values()].reduce((sum, value) => sum + value, 0);
    const perSide = [whole / (1 + FOR_SHARE) / against, (whole * FOR_SHARE) / (1 + FOR_SHARE) / speakingFor];
    for (let at = 0; at < size; at++) {
      const counts = weight[at * heads + head] ?? 0;
      if (counts === 0 || !isTaught(row[at] ?? 0)) continue;
      const sum = groups.get(groupOf(at)) ?? 1;
      const side = wanted[at * heads + head] ?? 0;
      balancedWeight[at * heads + head] = Math.min(
        MOST,
        counts * sum ** -damping * (perSide[side] ?? 0) * (isUserAttack ? factorOf(rows[row[at] ?? 0]) : 1),
      );
    }
  }
  return balancedWeight;
}

function factorOf(row: Row | undefined): number {
  if (row === undefined) return 1;
  if (row.label === "benign") return LOOK_ALIKE.test(row.category) ? LOOK_ALIKE_WEIGHT : 1;
  return row.source === "ours: requests" ? OWN_ATTACK_WEIGHT : 1;
}
