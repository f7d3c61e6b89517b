import { randomBytes } from "node:crypto";
import { Secret } from "@trunkline/core/secret.ts";
import { type Answer, errorShapeProblem } from "./answer.ts";
import type { Check } from "./check.ts";
import { testRequestFor } from "./order.ts";
import { type Finding, fail, pass, warn } from "./report.ts";

const ERROR_SHAPE = '`{"error": {"message": "…", "code": <status>}}`';

/** Judges an answer that had to be a refusal. */
function judgeRefusal(check: string, answer: Answer, asked: string): Finding {
  const { status } = answer;
  if (status === 429)
    return warn(check, `${asked} was answered with 429, so that this could not be checked.`);
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
    const stranger = new Secret(`wrong-${randomBytes(12).toString("hex")}`);
    const answer = await endpointClient.send(testRequestFor(endpointClient.target.type), stranger);
    const asked = "A wrong key";
    if (answer.status === 401 || answer.status === 403) return [judgeErrorShape(this.name, answer, asked)];
    if (answer.status >= 500) {
      return [
        fail(this.name, `${asked} was answered with ${answer.status}. Answer with 401 and ${ERROR_SHAPE}.`),
      ];
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
    const answer = await endpointClient.send(
      testRequestFor(endpointClient.target.type, { input: undefined }),
    );
    return [judgeRefusal(this.name, answer, "A request without `input`")];
  },
};

/** The checks of what the endpoint must not accept. */
export const REFUSAL_CHECKS: readonly Check[] = [wrongCredential, malformedBody, missingInput];
