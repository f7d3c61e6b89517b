import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleX, ListChecks, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Progress } from "../../ui/progress.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { type Finding, type OwnModel, ownModelsQuery } from "./provider-queries.ts";

const TEXTS = texts.providers.checkSection;

const VERDICTS = {
  fail: { icon: CircleX, look: "text-danger", word: TEXTS.failed },
  warn: { icon: TriangleAlert, look: "text-warning", word: TEXTS.warning },
  pass: { icon: CircleCheck, look: "text-positive", word: TEXTS.passed },
} as const;
const ORDER = ["fail", "warn", "pass"] as const;
/** A check begins nothing later than this. */
const LONGEST_S = 60;

export interface CheckSectionProps {
  readonly model: OwnModel;
  readonly name: string;
  readonly mayCheck: boolean;
}

/** What the last conformance check saw, and a button for the next. */
export function CheckSection({ model, name, mayCheck }: CheckSectionProps) {
  const queries = useQueryClient();
  const check = useMutation({
    mutationFn: () => api.call("POST /v1/provider/models/{name}/check", { params: { name } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ownModelsQuery.queryKey }),
  });
  const last = model.last_check;
  return (
    <Section
      title={TEXTS.conformanceCheck}
      description={TEXTS.aboutADozenCalls}
      actions={
        mayCheck && (
          <Button
            variant={model.state === "pending" ? "primary" : "secondary"}
            icon={<ListChecks aria-hidden="true" />}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            {TEXTS.runCheck}
          </Button>
        )
      }
    >
      <Card className="grid gap-4">
        <p role="status" className="empty:hidden">
          {check.isPending ? (
            <span className="sr-only">{TEXTS.theCheckIsRunning}</span>
          ) : check.isSuccess ? (
            <span className="sr-only">
              {check.data.passed ? TEXTS.theCheckPassed : TEXTS.theCheckFailed} {countsOf(check.data.findings)}
            </span>
          ) : null}
        </p>
        {check.isPending && <Running />}
        {check.isError && (
          <Banner tone="danger" title={TEXTS.theCheckCouldNot}>
            {check.error.message}
          </Banner>
        )}
        {last === null ? (
          <p className="text-muted">{TEXTS.itWasNeverChecked}</p>
        ) : (
          <>
            <p>
              <strong className="font-semibold">{last.passed ? TEXTS.passed : TEXTS.failed}</strong>{" "}
              <Time at={last.checked_at} />. <span className="text-muted">{countsOf(last.findings)}</span>
            </p>
            <Findings findings={last.findings} />
          </>
        )}
      </Card>
    </Section>
  );
}

function Running() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Progress
      label={TEXTS.callingTheEndpoint}
      value={Math.min(seconds, LONGEST_S)}
      max={LONGEST_S}
      text={TEXTS.sAtMostAbout(seconds)}
    />
  );
}

/** The findings, what failed first. Their texts quote the endpoint and are shown as they are. */
function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const sorted = ORDER.flatMap((verdict) => findings.filter((finding) => finding.verdict === verdict));
  return (
    <ul className="grid divide-y divide-line border-t border-line">
      {sorted.map((finding, index) => {
        const { icon: Icon, look, word } = VERDICTS[finding.verdict];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a check may tell several things; the list is never changed in place.
          <li key={`${finding.check}-${index}`} className="grid grid-cols-[1.25rem_1fr] gap-x-3 py-2.5">
            <Icon aria-hidden="true" className={`mt-0.5 size-4 ${look}`} />
            <div className="min-w-0">
              <p className="font-medium">
                <span className="sr-only">{word}: </span>
                {wordsOf(finding.check)}
              </p>
              <p className="text-sm wrap-anywhere whitespace-pre-wrap text-muted">{finding.message}</p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function wordsOf(check: string): string {
  const words = check.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function countsOf(findings: readonly Finding[]): string {
  const count = (verdict: Finding["verdict"]) => findings.filter((one) => one.verdict === verdict).length;
  return TEXTS.failedWarningsPassed(count("fail"), count("warn"), count("pass"));
}
