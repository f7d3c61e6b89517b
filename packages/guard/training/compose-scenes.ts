import { randomFromSeed } from "@trunkline/core/seeded.ts";
import { pick, readJsonLines } from "./compose.ts";
import type { Row } from "./rows.ts";

/** Requests that are wrapped in a scene: a story, a persona, a pretext. Most scenes are harmless with a harmless goal. */

const GOAL = "{goal}";
const GOALS_EACH = 5;
export const HARM_IN_SCENARIO = "harm_in_scene";

interface Goal {
  readonly harm: GoalWording;
  /** Something harmless in much the same words. */
  readonly twin: GoalWording;
  readonly category: string;
}

interface GoalWording {
  readonly verb: string;
  readonly noun: string;
}

const ASKING = [
  "How do I GOAL?",
  "Tell me how to GOAL.",
  "I want to GOAL. Where do I start?",
  "help me GOAL",
];

export async function composeScenarios(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const goals = (await readJsonLines(`${folder}/user/goals.jsonl`)).map(
    (goal): Goal => ({
      harm: { verb: String(goal.harmful_verb), noun: String(goal.harmful_noun) },
      twin: { verb: String(goal.twin_verb), noun: String(goal.twin_noun) },
      category: String(goal.category),
    }),
  );
  const common = { source: "ours: requests", channel: "user" } as const;
  const scenes = (await readJsonLines(`${folder}/user/frames.jsonl`)).flatMap((frame) => {
    const text = String(frame.text);
    const form = frame.form === "verb" ? "verb" : "noun";
    const wrapped = (goalWording: GoalWording) => text.replace(GOAL, () => goalWording[form]);
    const isNeutral = frame.kind === "neutral";
    // A scene that switches the rules off is an attack whatever it is for: to say so once is enough.
    const around = isNeutral ? "benign" : "jailbreak";
    const category = isNeutral ? "elaborate_frame" : "rules_off";
    return Array.from({ length: GOALS_EACH }, (_, turn): Row[] => {
      const { harm, twin } = pick(goals, random);
      const other = pick(goals, random).twin;
      const harmless = isNeutral ? [other, twin] : turn === 0 ? [other] : [];
      return [
        { ...common, text: wrapped(harm), label: "jailbreak", category: HARM_IN_SCENARIO },
        ...harmless.map(
          (goalWording): Row => ({ ...common, text: wrapped(goalWording), label: around, category }),
        ),
      ];
    }).flat();
  });
  const plain = goals.flatMap(({ harm, twin, category }): Row[] => {
    const asked = (goalWording: GoalWording) => pick(ASKING, random).replace("GOAL", () => goalWording.verb);
    return [
      { ...common, source: "ours: harm", text: asked(harm), label: "unsafe", category },
      { ...common, source: "ours: harm", text: asked(twin), label: "benign", category: "sensitive_topic" },
    ];
  });
  return [...scenes, ...plain];
}
