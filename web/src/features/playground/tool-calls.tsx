import { Wrench } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import type { ToolCall } from "./conversation.ts";
import { prettyJson } from "./json-text.ts";

const { playground: words } = texts;

interface ToolCallsProps {
  readonly calls: readonly ToolCall[];
  /** Whether the results can still be given. */
  readonly mayAnswer: boolean;
  readonly onAnswer: (results: Readonly<Record<string, string>>) => void;
}

/** The tools that a model called. You are the tools: write what each would return. */
export function ToolCalls({ calls, mayAnswer, onAnswer }: ToolCallsProps) {
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});

  function submit(event: FormEvent) {
    event.preventDefault();
    onAnswer(Object.fromEntries(calls.map(({ id }) => [id, results[id] ?? ""])));
  }

  return (
    <form className="grid min-w-0 gap-3" onSubmit={submit}>
      {calls.map((call) => (
        <Call
          key={call.id}
          call={call}
          draft={mayAnswer ? (results[call.id] ?? "") : undefined}
          onChange={(result) => setResults({ ...results, [call.id]: result })}
        />
      ))}
      {mayAnswer && (
        <div>
          <Button type="submit" variant="primary" size="sm">
            {words.submitResults(calls.length)}
          </Button>
        </div>
      )}
    </form>
  );
}

interface CallProps {
  readonly call: ToolCall;
  /** What is being written as its result; undefined: it can't be changed any more. */
  readonly draft: string | undefined;
  readonly onChange: (result: string) => void;
}

function Call({ call, draft, onChange }: CallProps) {
  const id = useId();
  return (
    <article aria-labelledby={id} className="grid min-w-0 gap-2 rounded-md border border-line bg-subtle p-3">
      <h3 id={id} className="flex min-w-0 items-center gap-2 text-sm font-medium">
        <Wrench aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 wrap-anywhere">{words.toolCall(call.name)}</span>
      </h3>
      <pre tabIndex={0} className="max-h-48 overflow-auto text-sm break-words whitespace-pre-wrap">
        <code>{prettyJson(call.arguments)}</code>
      </pre>
      {draft !== undefined ? (
        <Field label={words.toolResult} hint={words.toolResultHint}>
          <Textarea
            mono
            grow
            rows={2}
            spellCheck={false}
            value={draft}
            onChange={({ target }) => onChange(target.value)}
            className="max-h-64 min-h-16 text-sm"
          />
        </Field>
      ) : (
        call.result !== undefined && (
          <div className="grid min-w-0 gap-1">
            <p className="text-sm text-muted">{words.toolResult}</p>
            <pre tabIndex={0} className="max-h-48 overflow-auto text-sm break-words whitespace-pre-wrap">
              {call.result}
            </pre>
          </div>
        )
      )}
    </article>
  );
}
