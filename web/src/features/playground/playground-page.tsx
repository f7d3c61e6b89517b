import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { CodeXml, Send, Square } from "lucide-react";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { catalogueQuery } from "../../api/catalogue.ts";
import { usePermission } from "../../api/session.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { Field } from "../../ui/field.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { type AttachedFile, AttachmentField } from "./attachment-field.tsx";
import { CodeSheet } from "./code-sheet.tsx";
import { describeDifference } from "./compare-runs.ts";
import { sidesFor } from "./fitting-models.ts";
import { readPlaygroundSearch } from "./playground-search.ts";
import { RequestOptions } from "./request-options.tsx";
import { RoutePreview } from "./route-preview.tsx";
import { RunView } from "./run-view.tsx";
import { FIRST_SETTINGS, findMistakes, previewOf, requestOf, TASKS, takesAttachments } from "./settings.ts";
import { SidePicker } from "./side-picker.tsx";
import { type Preview, standInsFor, usePreview } from "./use-preview.ts";
import { useRun } from "./use-run.ts";
import { useSettings } from "./use-settings.ts";

const LONGEST_INPUT = 400_000;
const NAMES = ["Left", "Right"] as const;

/** Try a model, or two side by side, before writing any code. */
export function PlaygroundPage() {
  const search = readPlaygroundSearch(useSearch({ strict: false }));
  const { settings, change } = useSettings(search);
  const [files, setFiles] = useState<readonly AttachedFile[]>([]);
  const [showsCode, setShowsCode] = useState(false);
  const sendButton = useRef<HTMLButtonElement>(null);
  const { data: offers = [] } = useQuery(catalogueQuery);
  const maySend = usePermission("inference.use");
  const runs = [useRun(), useRun()] as const;

  const [first, second] = settings.sides;
  const sides = settings.isSideBySide ? [first, second] : [first];
  const attachments = useMemo(() => files.map(({ type, url }) => ({ type, url })), [files]);
  const standIns = useMemo(() => standInsFor(attachments), [attachments]);
  const hasMistakes = Object.keys(findMistakes(settings)).length > 0;
  const hasInput = settings.input.trim() !== "" && !hasMistakes;
  const previews = [
    usePreview(hasInput ? previewOf(settings, first, standIns) : undefined),
    usePreview(hasInput && settings.isSideBySide ? previewOf(settings, second, standIns) : undefined),
  ] as const;
  const isRunning = runs.some(({ run }) => run?.status === "running");
  const canSend = maySend && hasInput && !isRunning;
  const requests = sides.map((side) => requestOf(settings, side, attachments));
  const nameOf = (index: number) => (settings.isSideBySide ? NAMES[index] : undefined);

  function send() {
    if (!canSend) return;
    for (const [index, request] of requests.entries()) void runs[index]?.start(request);
  }

  function stop() {
    for (const { stop: stopOne } of runs) stopOne();
    // The button that had the focus goes away.
    sendButton.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  }

  return (
    <Page
      title="Playground"
      description="What you send here is a normal request: it is charged to your organisation's balance and recorded like any other."
      width="wide"
      actions={
        <Button icon={<CodeXml aria-hidden="true" />} onClick={() => setShowsCode(true)}>
          View code
        </Button>
      }
    >
      {!maySend && (
        <Banner tone="warning" title="You can look, but not send">
          Your role in this organisation may not send requests. Ask an owner or an admin.
        </Banner>
      )}
      <div className="grid min-w-0 gap-5 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 content-start gap-5">
          <form
            aria-label="Request"
            className="grid min-w-0 gap-4 rounded-lg border border-line bg-surface p-4 sm:p-5"
            onKeyDown={onKeyDown}
            onSubmit={(event) => {
              event.preventDefault();
              send();
            }}
          >
            <div className="grid min-w-0 gap-4 sm:grid-cols-2">
              <TaskField
                task={settings.task}
                onChange={(task) => change({ task, sides: sidesFor(task, settings.sides, offers) })}
              />
              <Switch
                label="Side by side"
                description="Send to two models at once."
                checked={settings.isSideBySide}
                onCheckedChange={(isSideBySide) => change({ isSideBySide })}
                className="self-center"
              />
              {sides.map((side, index) => (
                <SidePicker
                  // biome-ignore lint/suspicious/noArrayIndexKey: a side is its place.
                  key={index}
                  name={nameOf(index)}
                  side={side}
                  task={settings.task}
                  offers={offers}
                  onChange={(next) => change({ sides: index === 0 ? [next, second] : [first, next] })}
                />
              ))}
            </div>
            <Field label="Input">
              <Textarea
                rows={6}
                grow
                maxLength={LONGEST_INPUT}
                value={settings.input}
                onChange={(event) => change({ input: event.target.value })}
                placeholder="What should the model do?"
                className="max-h-128 min-h-36"
              />
            </Field>
            {takesAttachments(settings.task) && <AttachmentField files={files} onChange={setFiles} />}
            <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
              {/* Each has a place of its own: who stops an answer at its very end must not send it again. */}
              <Button
                ref={sendButton}
                type="submit"
                variant="primary"
                icon={<Send aria-hidden="true" />}
                loading={isRunning}
                disabled={!canSend && !isRunning}
              >
                {settings.isSideBySide ? "Send to both" : "Send"}
              </Button>
              {isRunning && (
                <Button icon={<Square aria-hidden="true" />} onClick={stop}>
                  Stop
                </Button>
              )}
              <span className="text-sm text-muted max-sm:hidden">
                <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd> sends
              </span>
              {hasInput && <Estimate routes={sides.map((_, index) => previews[index]?.data?.candidates[0])} />}
              {settings.input.length > 10_000 && (
                <span className="ml-auto text-sm text-muted">
                  {formatNumber(settings.input.length)} of {formatNumber(LONGEST_INPUT)} characters
                </span>
              )}
            </div>
          </form>
          <div className={cx("grid min-w-0 gap-5", settings.isSideBySide && "xl:grid-cols-2")}>
            {sides.map((_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a side is its place.
              <RunView key={index} name={nameOf(index)} run={runs[index]?.run} />
            ))}
          </div>
          {settings.isSideBySide && <Difference left={runs[0].run} right={runs[1].run} />}
        </div>
        <aside aria-label="Settings" className="grid min-w-0 content-start gap-3">
          {sides.map((_, index) => {
            const preview = previews[index];
            return preview === undefined ? null : (
              // biome-ignore lint/suspicious/noArrayIndexKey: a side is its place.
              <RoutePreview key={index} name={nameOf(index)} hasInput={hasInput} preview={preview} />
            );
          })}
          <RequestOptions settings={settings} onChange={change} offers={offers} />
        </aside>
      </div>
      <CodeSheet open={showsCode} onOpenChange={setShowsCode} requests={requests} />
    </Page>
  );
}

/** Where it would go and what that would cost, all together. */
function Estimate({ routes }: { readonly routes: readonly (Preview["candidates"][number] | undefined)[] }) {
  const known = routes.filter((route) => route !== undefined);
  if (known.length < routes.length) return null;
  const sum = Number(known.reduce((before, route) => before + route.estimated_cost, 0).toFixed(9));
  return (
    <span className="min-w-0 text-sm wrap-anywhere text-muted">
      To {[...new Set(known.map(({ model }) => model))].join(" and ")},{" "}
      {sum === 0 ? (
        "free"
      ) : (
        <>
          about <Money credits={sum} />
        </>
      )}
    </span>
  );
}

type MaybeRun = ReturnType<typeof useRun>["run"];

function Difference({ left, right }: { readonly left: MaybeRun; readonly right: MaybeRun }) {
  if (left?.status !== "done" || right?.status !== "done") return null;
  const sentences = describeDifference(left, right);
  if (sentences.length === 0) return null;
  return (
    <p role="status" className="rounded-lg border border-line bg-subtle px-4 py-3 text-sm">
      {sentences.join(" ")}
    </p>
  );
}

const OTHER = "other";

interface TaskFieldProps {
  readonly task: string;
  readonly onChange: (task: string) => void;
}

/** What kind of work it is: one of the known words, or one's own. */
function TaskField({ task, onChange }: TaskFieldProps) {
  const isKnown = TASKS.some(({ value }) => value === task);
  const [isOther, setIsOther] = useState(!isKnown);
  const showsOther = isOther || !isKnown;
  return (
    <div className="grid content-start gap-2">
      <Field label="Task">
        <Select<string>
          value={showsOther ? OTHER : task}
          onValueChange={(chosen) => {
            setIsOther(chosen === OTHER);
            if (chosen !== OTHER) onChange(chosen);
          }}
          options={[...TASKS, { value: OTHER, label: "Another word" }]}
        />
      </Field>
      {showsOther && (
        <Field label="Task word" hideLabel error={findMistakes({ ...FIRST_SETTINGS, task }).task}>
          <Input value={task} maxLength={64} onChange={(event) => onChange(event.target.value)} />
        </Field>
      )}
    </div>
  );
}
