import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { StartupError } from "@trunkline/core/mistake.ts";
import { readRouterWeights } from "@trunkline/router/predict/bundled-weights.ts";
import { readCatalogue } from "./predict-catalogue.ts";
import { predictPrompts, readPromptLines } from "./predict-prompts.ts";

const HELP = `Predicts how good each model's answer to each prompt will be, and what it will cost. Calls nobody.

  trunkline predict --models <catalogue.json> --prompts <file.jsonl> [--evidence <outcomes.jsonl>]

  --models    models as they are registered, or their names alone
  --prompts   one JSON object a line, with \`prompt\` and \`id\`
  --evidence  outcomes to learn from first: lines with \`prompt\`, \`task\` and \`outcomes\`; may be given several times

Prints a line of JSON for each prompt: \`id\`, \`scores\`, \`costs\` in US dollars, and \`route_score\`, which is higher the
more the prompt gains from the strongest model. Ends with 0, or with 2 when something could not be read.`;

/** `trunkline predict`: prints a line for each prompt and returns the exit code. */
export async function predictCommand(args: readonly string[], out: (line: string) => void): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        models: { type: "string" },
        prompts: { type: "string" },
        evidence: { type: "string", multiple: true },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    if (values.models === undefined || values.prompts === undefined) {
      throw new StartupError(`Both --models and --prompts are needed.\n\n${HELP}`);
    }
    const catalogueModel = readCatalogue(parseFile(await read(values.models), values.models));
    const prompts = readPromptLines(await read(values.prompts), values.prompts);
    const lessons = [];
    for (const file of values.evidence ?? []) lessons.push(...readPromptLines(await read(file), file));
    for (const line of predictPrompts(readRouterWeights(), catalogueModel, prompts, lessons))
      out(JSON.stringify(line));
    return 0;
  } catch (error) {
    if (error instanceof StartupError) out(error.message);
    // parseArgs throws a TypeError with a sentence for people.
    else if (error instanceof TypeError && "code" in error) out(`${error.message}\n\n${HELP}`);
    else throw error;
    return 2;
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new StartupError(
      `${file} could not be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function parseFile(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StartupError(`${file} is not JSON.`);
  }
}
