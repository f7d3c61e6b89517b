import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Section } from "../../ui/section.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";

const STEPS = [
  {
    title: "Put an endpoint in front of your model",
    words: "It takes a POST with the input and answers with the output and the tokens it counted.",
  },
  {
    title: "Register it",
    words: "Say where it is, what it costs and what it can do. The form checks as you type.",
  },
  {
    title: "Run its check",
    words: "About a dozen calls try every part of the contract, and say in sentences what they saw.",
  },
  {
    title: "Start with a small share",
    words: "It takes part in 5 % of automatic requests. After 100 good answers it is routed like any other.",
  },
] as const;

const REQUEST = `POST /v1/generate
Authorization: Bearer <your credential>
Content-Type: application/json

{"input": "Say hello.", "parameters": {"max_tokens": 256}}`;

const ANSWER = `{
  "output": "Hello.",
  "usage": {"input_tokens": 4, "output_tokens": 2},
  "latency_ms": 120
}`;

/** What offering a model means, for those who have not yet. */
export function OfferGuide() {
  return (
    <div className="grid min-w-0 gap-6 lg:grid-cols-2">
      <Section title="How it goes" className="content-start">
        <Card>
          <ol className="grid gap-4">
            {STEPS.map((step, index) => (
              <li key={step.title} className="grid grid-cols-[1.75rem_1fr] gap-3">
                <span
                  aria-hidden="true"
                  className="flex size-7 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent-text"
                >
                  {index + 1}
                </span>
                <span>
                  <span className="block font-medium">{step.title}</span>
                  <span className="block text-muted">{step.words}</span>
                </span>
              </li>
            ))}
          </ol>
        </Card>
      </Section>
      <Section title="The contract in short" className="content-start">
        <CodeBlock
          label="What your endpoint is sent and answers"
          samples={[
            { label: "It is sent", language: "http", code: REQUEST },
            { label: "It answers", language: "json", code: ANSWER },
          ]}
        />
        <p className="text-sm text-muted">
          Clients pay your own price for what you answered, and nothing for what failed. Report the tokens you counted,
          honour max_tokens and stop when the connection closes. The whole contract is in the{" "}
          <a href="/docs" className={TEXT_LINK}>
            reference
          </a>
          , and{" "}
          <a href="/guide/providers.html" className={TEXT_LINK}>
            Offering a model
          </a>{" "}
          explains it step by step.
        </p>
      </Section>
    </div>
  );
}
