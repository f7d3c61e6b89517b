import type { Task, TaskKind } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";

/**
 * How well what a model says of itself fits a task.
 * listed: it lists this very work. related: it lists work of the same family.
 * other: it lists other work only. unsaid: it lists nothing that tells.
 */
export type Fit = "listed" | "related" | "other" | "unsaid";

interface DeclaredSkills {
  readonly words: ReadonlySet<string>;
  readonly kinds: ReadonlySet<TaskKind>;
}

/** Models never change in place, so what one says of itself is read once. */
const skillsOfModel = new WeakMap<Model, DeclaredSkills>();

function skillsOf(model: Model): DeclaredSkills {
  const remembered = skillsOfModel.get(model);
  if (remembered !== undefined) return remembered;
  const tasks = [...model.capabilities, ...model.specialties].map(normaliseTask);
  const declaredSkills: DeclaredSkills = {
    words: new Set(tasks.map((task) => task.word).filter((word) => word !== "")),
    kinds: new Set(tasks.filter((task) => task.known).map((task) => task.kind)),
  };
  skillsOfModel.set(model, declaredSkills);
  return declaredSkills;
}

/** Whether a model lists the client's own word among its capabilities or specialties. */
export function listsTaskWord(model: Model, task: Task): boolean {
  return skillsOf(model).words.has(task.word);
}

/** Compares a task with a model's capabilities and specialties. */
export function fitTask(model: Model, task: Task): Fit {
  const { words, kinds } = skillsOf(model);
  if (words.has(task.word)) return "listed";
  if (kinds.has(task.kind)) {
    // The words of one kind are spellings of one job, except here: a translator need not be a classifier.
    return task.known && task.kind !== "analysis" ? "listed" : "related";
  }
  if (task.kind === "chat" && kinds.has("text")) return "related";
  if (task.kind === "text" && kinds.has("chat")) return "related";
  return kinds.size > 0 ? "other" : "unsaid";
}
