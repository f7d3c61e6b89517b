import { it } from "vitest";
import { expectAsRecorded } from "./replay.ts";

it("answers, routes, charges and records requests in our own format as recorded", () =>
  expectAsRecorded("native", [
    ["request", 200],
    ["generate", 160],
    ["stream", 180],
    ["vectors", 40],
  ]));
