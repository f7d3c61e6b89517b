import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { HARM_IN_SCENARIO, pick, readJsonLines } from "./compose-rows.ts";
import type { Row } from "./rows.ts";

// Plain requests for harm, mostly in other languages than English, of which there are few public texts, alone and in a
// scenario, and harmless ones in similar words. The English harmless ones have the verbs that harm uses.

/**
 * One language: a line of `seeds/harm/goal_words.jsonl`, or of `shape_words.jsonl`, where harm and its harmless twins are
 * asked for in the same shapes ("How do I secretly {g}?"). `{g}` stands for a goal.
 */
interface GoalGrammar {
  readonly ask: readonly string[];
  /** Scenarios that are made for harm, if any. */
  readonly frames: readonly string[];
  /** Harmless roles of the same form. */
  readonly roles: readonly string[];
  readonly harm: readonly (readonly [goal: string, category: string])[];
  readonly twins: readonly string[];
}

const ASKED_EACH = 3;

export async function composeGoals(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const grammars = [
    ...(await readJsonLines<GoalGrammar>(`${folder}/harm/goal_words.jsonl`)),
    ...(await readJsonLines<GoalGrammar>(`${folder}/harm/shape_words.jsonl`)),
  ];
  const user = { channel: "user" } as const;
  return grammars.flatMap(({ ask, frames, roles, harm, twins }) => {
    const asked = (templates: readonly string[], goal: string) => pick(templates, random).replace("{g}", () => goal);
    return [
      ...harm.flatMap(([goal, category]): Row[] => [
        ...Array.from(
          { length: ASKED_EACH },
          (): Row => ({ ...user, source: "ours: harm", text: asked(ask, goal), label: "unsafe", category }),
        ),
        ...frames.slice(0, 1).map(
          (): Row => ({
            ...user,
            source: "ours: requests",
            text: asked(frames, goal),
            label: "jailbreak",
            category: HARM_IN_SCENARIO,
          }),
        ),
      ]),
      ...twins.flatMap((goal): Row[] => [
        ...Array.from(
          { length: ASKED_EACH },
          (): Row => ({
            ...user,
            source: "ours: harm",
            text: asked(ask, goal),
            label: "benign",
            category: "sensitive_topic",
          }),
        ),
        ...roles.slice(0, 1).map(
          (): Row => ({
            ...user,
            source: "ours: requests",
            text: asked(roles, goal),
            label: "benign",
            category: "roleplay",
          }),
        ),
      ]),
    ];
  });
}
