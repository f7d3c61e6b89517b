import { z } from "zod";
import { CHANNELS } from "../../domain/verdict.ts";
import { judgeText } from "../../safety/judge-passages.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { opinionOf, opinionShown } from "../show-opinion.ts";

const checkSafety = control({
  method: "POST",
  path: "/v1/safety/check",
  power: "safety.check",
  deed: null,
  status: 200,
  tag: "Safety",
  summary: "See what the safety check makes of a text",
  description:
    "Not charged. `channel`: whose words these are, the caller's own, quoted material, or a model's answer.",
  faults: [],
  body: z.object({ input: z.string().min(1).max(400_000), channel: z.enum(CHANNELS).nullable().optional() }),
  answer: z.object({
    flagged: z.boolean(),
    action: z.enum(["allow", "report", "redact", "refuse"]),
    categories: z.record(z.string(), z.number().min(0).max(1)),
    spans: z.array(
      z.object({
        category: z.string(),
        kind: z.string().optional().describe("What the value there is, such as `email`, where it is one."),
        start: z.number(),
        end: z.number(),
      }),
    ),
    normalised: z.array(z.string()).describe("What was undone before judging."),
    judge: z
      .array(opinionShown)
      .optional()
      .describe("What a judge outside said, where the text was doubtful and there is one."),
  }),
  async handle({ house, body, caller }) {
    const { opinions, ...verdict } = await judgeText(
      house.guardFor(caller),
      body.input,
      body.channel ?? "user",
    );
    return opinions === undefined ? verdict : { ...verdict, judge: opinions.map(opinionOf) };
  },
});

export const safetyEndpoints: readonly Endpoint[] = [checkSafety];
