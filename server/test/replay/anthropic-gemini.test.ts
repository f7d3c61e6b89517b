import { it } from "vitest";
import { expectAsRecorded } from "./replay.ts";

it("answers, routes, charges and records requests of Anthropic's and Google's clients as recorded", () =>
  expectAsRecorded("anthropic-gemini", [
    ["messages", 350],
    ["gemini", 270],
  ]));
