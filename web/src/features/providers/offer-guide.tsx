import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Section } from "../../ui/section.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";

const TEXTS = texts.providerForm.offerGuide;

const STEPS = [
  {
    title: TEXTS.putAnEndpointIn,
    words: TEXTS.itTakesAPost,
  },
  {
    title: TEXTS.registerIt,
    words: TEXTS.sayWhereItIs,
  },
  {
    title: TEXTS.runItsCheck,
    words: TEXTS.aboutADozenCalls,
  },
  {
    title: TEXTS.startWithASmall,
    words: TEXTS.itTakesPartIn,
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
      <Section title={TEXTS.howItGoes} className="content-start">
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
      <Section title={TEXTS.theContractInShort} className="content-start">
        <CodeBlock
          label={TEXTS.whatYourEndpointIs}
          samples={[
            { label: TEXTS.itIsSent, language: "http", code: REQUEST },
            { label: TEXTS.itAnswers, language: "json", code: ANSWER },
          ]}
        />
        <p className="text-sm text-muted">
          <Sentence
            text={TEXTS.clientsPayYourOwn}
            parts={{
              a: (
                <a href="/docs" className={TEXT_LINK}>
                  {TEXTS.reference}
                </a>
              ),
              a2: (
                <a href="/guide/providers.html" className={TEXT_LINK}>
                  {TEXTS.offeringAModel}
                </a>
              ),
            }}
          />
        </p>
      </Section>
    </div>
  );
}
