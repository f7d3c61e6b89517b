import { it } from "vitest";
import { expectAsRecorded } from "./replay.ts";

it("answers, routes, charges and records requests of OpenAI's clients as recorded", () =>
  expectAsRecorded("openai", [
    ["chat", 450],
    ["responses", 200],
    ["completions", 90],
    ["embeddings", 60],
  ]));
