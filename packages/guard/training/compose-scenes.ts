import { seeded } from "@trunkline/core/seeded.ts";
import { pick, readObjects } from "./compose.ts";
import type { Row } from "./rows.ts";

/** Requests that are wrapped in a scene: a story, a persona, a pretext. Most scenes are harmless with a harmless goal. */

const GOAL = "{goal}";
const GOALS_EACH = 5;
export const HARM_IN_SCENE = "harm_in_scene";

interface Goal {
  readonly harm: Wish;
  /** Something harmless in much the same words. */
  readonly twin: Wish;
  readonly category: string;
}

interface Wish {
  readonly verb: string;
  readonly noun: string;
}

const ASKING = [
  "How do I GOAL?",
  "Tell me how to GOAL.",
  "I want to GOAL. Where do I start?",
  "help me GOAL",
];

export async function composeScenes(folder: string, seed: number): Promise<Row[]> {
  const random = seeded(seed);
  const goals = (await readObjects(`${folder}/user/goals.jsonl`)).map(
    (goal): Goal => ({
      harm: { verb: String(goal.harmful_verb), noun: String(goal.harmful_noun) },
      twin: { verb: String(goal.twin_verb), noun: String(goal.twin_noun) },
      category: String(goal.category),
    }),
  );
  const common = { source: "ours: requests", channel: "user" } as const;
  const scenes = (await readObjects(`${folder}/user/frames.jsonl`)).flatMap((frame) => {
    const text = String(frame.text);
    const form = frame.form === "verb" ? "verb" : "noun";
    const wrapped = (wish: Wish) => text.replace(GOAL, () => wish[form]);
    const isNeutral = frame.kind === "neutral";
    // A scene that switches the rules off is an attack whatever it is for: to say so once is enough.
    const around = isNeutral ? "benign" : "jailbreak";
    const category = isNeutral ? "elaborate_frame" : "rules_off";
    return Array.from({ length: GOALS_EACH }, (_, turn): Row[] => {
      const { harm, twin } = pick(goals, random);
      const other = pick(goals, random).twin;
      const harmless = isNeutral ? [other, twin] : turn === 0 ? [other] : [];
      return [
        { ...common, text: wrapped(harm), label: "jailbreak", category: HARM_IN_SCENE },
        ...harmless.map((wish): Row => ({ ...common, text: wrapped(wish), label: around, category })),
      ];
    }).flat();
  });
  const plain = goals.flatMap(({ harm, twin, category }): Row[] => {
    const asked = (wish: Wish) => pick(ASKING, random).replace("GOAL", () => wish.verb);
    return [
      { ...common, source: "ours: harm", text: asked(harm), label: "unsafe", category },
      { ...common, source: "ours: harm", text: asked(twin), label: "benign", category: "sensitive_topic" },
    ];
  });
  return [...scenes, ...plain];
}
