import { randomBytes } from "node:crypto";
import { isObject, type JsonObject } from "@trunkline/core/json-object.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { answersInText, type Check, type Finding, fail, pass, warn } from "./check.ts";
import { type Answer, answerProblem, errorShapeProblem, jsonTypeOf } from "./endpoint-client.ts";
import { testRequestFor } from "./test-requests.ts";

const WORDS_MAX = 5;

const maxTokens: Check = {
  name: "max-tokens",
  appliesTo: answersInText,
  async run(endpointClient) {
    const changes = {
      input: "Count from one to fifty in words, then explain in detail what you did.",
      parameters: { max_tokens: WORDS_MAX },
    };
    const answer = await endpointClient.send(testRequestFor(endpointClient.target.type, changes));
    const problem = answerProblem(answer);
    if (problem !== undefined || !isObject(answer.json)) {
      return [fail(this.name, `It was asked for at most ${WORDS_MAX} tokens, and ${problem}.`)];
    }
    const { output, usage } = answer.json;
    const reported = isObject(usage) && typeof usage.output_tokens === "number" ? usage.output_tokens : 0;
    // Tokenizers hardly ever join words, so the number of words is a lower bound for tokens.
    const words = typeof output === "string" ? (output.match(/\S+/g) ?? []).length : 0;
    if (Math.max(reported, words) <= WORDS_MAX) return [pass(this.name, "`max_tokens` is honoured.")];
    const seen = reported > WORDS_MAX ? `${reported} tokens` : `${words} words`;
    return [
      warn(
        this.name,
        `It was asked for at most ${WORDS_MAX} tokens and answered with ${seen}. Honour \`max_tokens\`: what is over it is not paid for.`,
      ),
    ];
  },
};

const unicode: Check = {
  name: "unicode",
  appliesTo: () => true,
  async run(endpointClient) {
    const input = "Grüße, 你好, שלום, مرحبا, नमस्ते, e\u0301, 👋🏽, 👨‍👩‍👧‍👦: say hello back.";
    const answer = await endpointClient.send(testRequestFor(endpointClient.target.type, { input }));
    const problem = answerProblem(answer);
    if (problem !== undefined) {
      return [fail(this.name, `To an input with emoji and right-to-left script ${problem}. Read and write UTF-8.`)];
    }
    const output = isObject(answer.json) ? answer.json.output : undefined;
    return [
      typeof output === "string" && output.includes("\ufffd")
        ? warn(
            this.name,
            "The answer to an input with emoji and right-to-left script has replacement characters (U+FFFD) in it. Read and write UTF-8, and never cut a character in two.",
          )
        : pass(this.name, "Emoji and right-to-left script are understood."),
    ];
  },
};

const consistentFormat: Check = {
  name: "consistent-format",
  appliesTo: () => true,
  async run(endpointClient, plain) {
    const answer = await endpointClient.send(testRequestFor(endpointClient.target.type));
    const problem = answerProblem(answer);
    if (problem !== undefined || !isObject(answer.json)) {
      return [fail(this.name, `The same request was answered once, but the second time ${problem}.`)];
    }
    const [first, second] = [plain.body, answer.json];
    if (jsonTypeOf(first.output) !== jsonTypeOf(second.output)) {
      const kinds = `${jsonTypeOf(first.output)} and then ${jsonTypeOf(second.output)}`;
      return [fail(this.name, `To the same request \`output\` was ${kinds}. Keep to one form.`)];
    }
    const different = differingFields(first, second);
    return [
      different.length === 0
        ? pass(this.name, "Two answers to the same request have the same form.")
        : warn(
            this.name,
            `Two answers to the same request differ in the form of ${different.map((field) => `\`${field}\``).join(", ")}. Keep to one form.`,
          ),
    ];
  },
};

/** The fields of the contract that two answers give in different forms. */
function differingFields(first: JsonObject, second: JsonObject): string[] {
  return ["usage", "latency_ms"].filter((field) => jsonTypeOf(first[field]) !== jsonTypeOf(second[field]));
}

const concurrency: Check = {
  name: "concurrency",
  appliesTo: () => true,
  async run(endpointClient) {
    const testRequest = testRequestFor(endpointClient.target.type);
    const answers = await Promise.all(
      [testRequest, testRequest, testRequest].map((same) => endpointClient.sendOnce(same)),
    );
    const problems = answers.filter((answer) => answer.status !== 429).map(answerProblem);
    const problem = problems.find((found) => found !== undefined);
    if (problem !== undefined) {
      return [fail(this.name, `Of three requests at once not all were answered: ${problem}.`)];
    }
    return [
      problems.length === answers.length
        ? pass(this.name, "Three requests at once were all answered.")
        : warn(
            this.name,
            "Of three requests at once some were refused with 429. That is allowed, but little traffic can be sent to you.",
          ),
    ];
  },
};

/** Checks of answers to special requests. */
export const ANSWER_CHECKS: readonly Check[] = [maxTokens, unicode, consistentFormat, concurrency];

const ERROR_SHAPE = '`{"error": {"message": "…", "code": <status>}}`';

/** Judges an answer that should have been a refusal. */
function judgeRefusal(check: string, answer: Answer, asked: string): Finding {
  const { status } = answer;
  if (status === 429) return warn(check, `${asked} was answered with 429, so that this could not be checked.`);
  if (status < 400 || status >= 500) {
    return fail(check, `${asked} was answered with ${status}. Answer with 400 and ${ERROR_SHAPE}.`);
  }
  return judgeErrorShape(check, answer, asked);
}

function judgeErrorShape(check: string, answer: Answer, asked: string): Finding {
  const problem = errorShapeProblem(answer);
  return problem === undefined
    ? pass(check, `${asked} is refused with ${answer.status} and says why.`)
    : warn(
        check,
        `${asked} is refused with ${answer.status}, as it should be, but ${problem}. Answer with ${ERROR_SHAPE}.`,
      );
}

const wrongCredential: Check = {
  name: "wrong-credential",
  appliesTo: (target) => target.authType !== "none",
  async run(endpointClient) {
    const wrongKey = new Secret(`wrong-${randomBytes(12).toString("hex")}`);
    const answer = await endpointClient.send(testRequestFor(endpointClient.target.type), wrongKey);
    const asked = "A wrong key";
    if (answer.status === 401 || answer.status === 403) return [judgeErrorShape(this.name, answer, asked)];
    if (answer.status >= 500) {
      return [fail(this.name, `${asked} was answered with ${answer.status}. Answer with 401 and ${ERROR_SHAPE}.`)];
    }
    const trouble =
      answer.status === 200
        ? "was answered like the right one: anyone can use your endpoint. Refuse it"
        : `was answered with ${answer.status}. Refuse it`;
    return [warn(this.name, `${asked} ${trouble} with 401 and ${ERROR_SHAPE}.`)];
  },
};

const malformedBody: Check = {
  name: "malformed-body",
  appliesTo: () => true,
  async run(endpointClient) {
    const answer = await endpointClient.send({ body: '{"input": "This JSON never ends', streaming: false });
    return [judgeRefusal(this.name, answer, "A body that is not valid JSON")];
  },
};

const missingInput: Check = {
  name: "missing-input",
  appliesTo: () => true,
  async run(endpointClient) {
    const answer = await endpointClient.send(testRequestFor(endpointClient.target.type, { input: undefined }));
    return [judgeRefusal(this.name, answer, "A request without `input`")];
  },
};

/** Checks of requests that the endpoint must not accept. */
export const REFUSAL_CHECKS: readonly Check[] = [wrongCredential, malformedBody, missingInput];
