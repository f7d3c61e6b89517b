import { JUDGEABLE_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import {
  JudgeFailure,
  type JudgeRequest,
  type ModerationJudge,
  type Opinion,
  type Verdict,
} from "@trunkline/core/verdict.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { describe, expect, it } from "vitest";
import type { Detector } from "../detector.ts";
import { createGuard, type Guard } from "../policy/guard.ts";
import { BALANCED } from "../policy/policy.ts";
import { zeroScores } from "../policy/scores.ts";
import { evaluatePassages, evaluateText } from "../screen/evaluate-text.ts";
import { createExternalJudge, type ExternalJudgeOptions } from "./external-judge.ts";

type Scores = Partial<Record<SafetyCategory, number>>;

/** Reads its scores from the text, such as `injection=0.6`. */
const readingDetector: Detector = {
  createStreamDetectors: () => [],
  detect(text) {
    const scores = zeroScores();
    const findings = [...text.matchAll(/(\w+)=([\d.]+)/g)].flatMap((found) => {
      const category = JUDGEABLE_CATEGORIES.find((name) => name === found[1]);
      if (category === undefined) return [];
      const score = Number(found[2]);
      scores[category] = score;
      return [{ category, score, start: found.index, end: found.index + found[0].length }];
    });
    return { scores, findings, normalised: text.includes("disguised") ? ["zero-width"] : [] };
  },
};

/** A judge with a scripted response, and the requests it received. */
function setUp(
  answer: Scores | (() => Promise<Scores>),
  more: Partial<ExternalJudgeOptions> = {},
): { guard: Guard; asked: JudgeRequest[]; opinions: Opinion[]; errors: unknown[]; clock: ManualClock } {
  const asked: JudgeRequest[] = [];
  const opinions: Opinion[] = [];
  const errors: unknown[] = [];
  const clock = new ManualClock();
  const moderationJudge: ModerationJudge = {
    categories: JUDGEABLE_CATEGORIES,
    async ask(question) {
      asked.push(question);
      return { scores: typeof answer === "function" ? await answer() : answer };
    },
  };
  const second = createExternalJudge({
    moderationJudge,
    clock,
    timeBoxMs: 60_000,
    atOnce: 32,
    onFailure: "open",
    categories: JUDGEABLE_CATEGORIES,
    band: undefined,
    onOpinion: (opinion) => opinions.push(opinion),
    onError: (error) => errors.push(error),
    ...more,
  });
  return {
    guard: createGuard(readingDetector, BALANCED, { secondOpinion: second }),
    asked,
    opinions,
    errors,
    clock,
  };
}

const never = () => new Promise<never>(() => undefined);
const opinionIn = ({ opinions }: Verdict) => opinions?.[0];

describe("a second opinion", () => {
  it("refuses an uncertain text that the judge scores high", async () => {
    const { guard, asked, opinions } = setUp({ injection: 0.95 });
    const verdict = await evaluateText(guard, "injection=0.6", "user");
    expect(verdict).toMatchObject({ action: "refuse", flagged: true, categories: { injection: 0.95 } });
    expect(opinionIn(verdict)).toMatchObject({
      result: "raised",
      doubts: { injection: 0.6 },
      said: { injection: 0.95 },
      remembered: false,
    });
    expect(asked).toEqual([{ text: "injection=0.6", channel: "user" }]);
    expect(opinions).toHaveLength(1);
  });

  it("allows an uncertain text that the judge scores low, without spans", async () => {
    const { guard } = setUp({ injection: 0.1 });
    const verdict = await evaluateText(guard, "injection=0.6", "document");
    expect(verdict).toMatchObject({ action: "allow", flagged: false, spans: [] });
    expect(opinionIn(verdict)?.result).toBe("lowered");
  });

  it("is recorded if it changes nothing, and if it has no score for the category", async () => {
    const { guard } = setUp({ injection: 0.7 });
    expect(opinionIn(await evaluateText(guard, "injection=0.6", "user"))?.result).toBe("upheld");
    const verdict = await evaluateText(guard, "violence=0.6", "user");
    expect(verdict).toMatchObject({ action: "report", categories: { violence: 0.6 } });
    expect(opinionIn(verdict)).toMatchObject({ result: "upheld", said: {} });
  });

  it.each([
    ["harmless", "injection=0.2", "user"],
    ["refused by ourselves", "injection=0.85", "user"],
    ["refused for another reason", "injection=0.6 hate=0.95", "user"],
    ["of a kind that is never refused", "harassment=0.9", "user"],
    ["an answer", "injection=0.6", "output"],
  ] as const)("is not requested for a text that is %s", async (_what, text, channel) => {
    const { guard, asked } = setUp({ injection: 0, hate: 0, harassment: 0 });
    const plain = createGuard(readingDetector, BALANCED);
    expect(await evaluateText(guard, text, channel)).toEqual(await evaluateText(plain, text, channel));
    expect(asked).toEqual([]);
  });

  it("is not requested if another text of the same request is refused", async () => {
    const { guard, asked } = setUp({ injection: 0 });
    const passages = [
      { text: "injection=0.6", channel: "user" as const },
      { text: "injection=0.9", channel: "document" as const },
    ];
    expect((await evaluatePassages(guard, passages)).map(({ action }) => action)).toEqual(["report", "refuse"]);
    expect(asked).toEqual([]);
  });

  it("changes no score that was certain", async () => {
    const { guard } = setUp({ injection: 0, hate: 1, jailbreak: 1 });
    const verdict = await evaluateText(guard, "injection=0.6 hate=0.1 harassment=0.6", "user");
    expect(verdict.action).toBe("report");
    expect(verdict.categories).toMatchObject({ injection: 0, hate: 0.1, harassment: 0.6, jailbreak: 0 });
  });

  it("never lowers sexual_minors", async () => {
    const low = await evaluateText(setUp({ sexual_minors: 0 }).guard, "sexual_minors=0.4", "user");
    expect(low).toMatchObject({ action: "report", categories: { sexual_minors: 0.4 } });
    const high = await evaluateText(setUp({ sexual_minors: 0.9 }).guard, "sexual_minors=0.4", "user");
    expect(high.action).toBe("refuse");
  });

  it("lowers nothing in a disguised text, which the judge may not have decoded", async () => {
    const lowered = await evaluateText(setUp({ injection: 0 }).guard, "disguised injection=0.6", "user");
    expect(lowered).toMatchObject({ action: "report", categories: { injection: 0.6 } });
    const raised = await evaluateText(setUp({ injection: 1 }).guard, "disguised injection=0.6", "user");
    expect(raised.action).toBe("refuse");
  });

  it("lowers nothing if the judge saw only a part", async () => {
    const long = `injection=0.6 ${"word ".repeat(2_000)}`;
    const { guard, asked } = setUp({ injection: 0 });
    expect((await evaluateText(guard, long, "user")).action).toBe("report");
    expect(asked[0]?.text.length).toBeLessThan(long.length);
    expect((await evaluateText(setUp({ injection: 1 }).guard, long, "user")).action).toBe("refuse");
  });

  it("is requested for the configured categories and scores", async () => {
    const { guard, asked } = setUp({ injection: 1, hate: 1 }, { categories: ["hate"], band: { from: 0.2, to: 0.4 } });
    expect((await evaluateText(guard, "injection=0.6", "user")).action).toBe("report");
    expect((await evaluateText(guard, "hate=0.4", "user")).action).toBe("allow");
    expect(asked).toEqual([]);
    expect((await evaluateText(guard, "hate=0.3", "user")).action).toBe("refuse");
  });
});

describe("a judge without a response", () => {
  it.each([
    ["open", "report", 0.6],
    ["closed", "refuse", 0.8],
  ] as const)("leaves an uncertain verdict %s: %s", async (onFailure, action, injection) => {
    const failing = () => Promise.reject(new JudgeFailure("unreadable", "it sang"));
    const { guard, errors, opinions } = setUp(failing, { onFailure });
    const verdict = await evaluateText(guard, "injection=0.6", "user");
    expect(verdict).toMatchObject({ action, categories: { injection } });
    expect(opinionIn(verdict)).toMatchObject({ result: "failed", why: "unreadable", said: {} });
    expect(errors).toHaveLength(1);
    expect(opinions).toHaveLength(1);
  });

  it("is not waited for longer than the timeout, even if it ignores the signal", async () => {
    const { guard } = setUp(never, { timeBoxMs: 10 });
    const verdict = await evaluateText(guard, "injection=0.6", "user");
    expect(opinionIn(verdict)).toMatchObject({ result: "failed", why: "timeout" });
  });

  it("receives an abort signal at the timeout", async () => {
    const gate = newGate();
    const moderationJudge: ModerationJudge = {
      categories: ["injection"],
      ask: (_question, signal) => {
        signal.addEventListener("abort", () => gate.open());
        return never();
      },
    };
    await evaluateText(setUp({}, { moderationJudge, timeBoxMs: 10 }).guard, "injection=0.6", "user");
    await gate.opened;
  });

  it("is not called about more texts at once than configured", async () => {
    const gate = newGate();
    const { guard, asked } = setUp(() => gate.opened.then(() => ({ injection: 0 })), { atOnce: 1 });
    const first = evaluateText(guard, "one injection=0.6", "user");
    const second = await evaluateText(guard, "two injection=0.6", "user");
    expect(opinionIn(second)).toMatchObject({ result: "failed", why: "busy" });
    gate.open();
    expect(opinionIn(await first)?.result).toBe("lowered");
    expect(opinionIn(await evaluateText(guard, "two injection=0.6", "user"))?.result).toBe("lowered");
    expect(asked).toHaveLength(2);
  });

  it("is called about the last eight uncertain texts of a request, all at once", async () => {
    const gate = newGate();
    const { guard, asked } = setUp(() => gate.opened.then(() => ({ injection: 1 })));
    const passages = Array.from({ length: 10 }, (_, at) => ({
      text: `${at} injection=0.6`,
      channel: "user" as const,
    }));
    const evaluating = evaluatePassages(guard, [...passages, { text: "Hello", channel: "user" }]);
    await expect.poll(() => asked.length).toBe(8);
    gate.open();
    const verdicts = await evaluating;
    expect(verdicts.map((verdict) => opinionIn(verdict)?.why ?? verdict.action)).toEqual([
      ...["busy", "busy"],
      ...Array.from({ length: 8 }, () => "refuse"),
      "allow",
    ]);
  });
});

describe("a text that was sent to the judge", () => {
  it("is not sent again within a minute, from any caller", async () => {
    const { guard, asked, clock } = setUp({ injection: 1 });
    const ask = async () => opinionIn(await evaluateText(guard, "injection=0.6", "user"))?.remembered;
    expect(await ask()).toBe(false);
    clock.advance(59_000);
    expect(await ask()).toBe(true);
    await evaluateText(guard, "injection=0.6", "document");
    expect(asked).toHaveLength(2);
    clock.advance(1_000);
    expect(await ask()).toBe(false);
    expect(asked).toHaveLength(3);
  });

  it("is sent once for concurrent requests", async () => {
    const gate = newGate();
    const { guard, asked } = setUp(() => gate.opened.then(() => ({ injection: 1 })));
    const both = [0, 1].map(() => evaluateText(guard, "injection=0.6", "user"));
    await expect.poll(() => asked.length).toBe(1);
    gate.open();
    expect((await Promise.all(both)).map(({ action }) => action)).toEqual(["refuse", "refuse"]);
    expect(asked).toHaveLength(1);
  });

  it("is sent again if there was no response", async () => {
    let isBroken = true;
    const { guard } = setUp(async () => {
      if (isBroken) throw new JudgeFailure("unreachable", "it is away");
      return { injection: 1 };
    });
    expect((await evaluateText(guard, "injection=0.6", "user")).action).toBe("report");
    isBroken = false;
    expect((await evaluateText(guard, "injection=0.6", "user")).action).toBe("refuse");
  });

  it("is evicted after many others", async () => {
    const { guard, asked } = setUp({ injection: 1 });
    for (let at = 0; at <= 1_024; at++) await evaluateText(guard, `${at} injection=0.6`, "user");
    await evaluateText(guard, "1024 injection=0.6", "user");
    expect(asked).toHaveLength(1_025);
    await evaluateText(guard, "0 injection=0.6", "user");
    expect(asked).toHaveLength(1_026);
  });
});
