import { Pencil, Plus, X } from "lucide-react";
import { useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { JsonField } from "./json-field.tsx";
import { Group } from "./option-group.tsx";
import { type Settings, TOOL_CHOICES } from "./settings.ts";
import { EXAMPLE_TOOL, findToolMistake, MOST_TOOLS, toolIn } from "./tools.ts";

const { playground: words } = texts;

interface ToolOptionsProps {
  readonly settings: Settings;
  readonly onChange: (changes: Partial<Settings>) => void;
}

/** The functions that a model may call. */
export function ToolOptions({ settings, onChange }: ToolOptionsProps) {
  const { tools, toolChoice, parallelCalls } = settings;
  const [edited, setEdited] = useState<number>();
  const nameOf = (tool: string) => toolIn(tool)?.name ?? words.unnamedTool;
  return (
    <Group title={words.tools} isOpen={tools.length > 0}>
      {tools.length > 0 && (
        <ul className="col-span-full grid gap-1">
          {tools.map((tool, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a tool is its place in the list.
              key={index}
              className="flex min-w-0 items-center rounded-md bg-hover pl-3"
            >
              <span className="min-w-0 grow truncate font-mono text-sm">{nameOf(tool)}</span>
              <IconButton
                label={words.editTool(nameOf(tool))}
                size="sm"
                icon={<Pencil aria-hidden="true" />}
                onClick={() => setEdited(index)}
              />
              <IconButton
                label={words.removeTool(nameOf(tool))}
                size="sm"
                icon={<X aria-hidden="true" />}
                onClick={() => onChange({ tools: tools.filter((_, place) => place !== index) })}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="col-span-full grid justify-items-start gap-2">
        {tools.length === 0 && <p className="text-sm text-muted">{words.toolsHint}</p>}
        <Button
          size="sm"
          icon={<Plus aria-hidden="true" />}
          disabled={tools.length >= MOST_TOOLS}
          onClick={() => setEdited(tools.length)}
        >
          {words.addTool}
        </Button>
      </div>
      {tools.length > 0 && (
        <>
          <Field label={words.toolChoice}>
            <Select<Settings["toolChoice"]>
              value={toolChoice}
              onValueChange={(chosen) => onChange({ toolChoice: chosen })}
              options={TOOL_CHOICES.map((choice) => ({ value: choice, label: words.toolChoices[choice] }))}
            />
          </Field>
          <Switch
            label={words.parallelCalls}
            checked={parallelCalls}
            onCheckedChange={(isOn) => onChange({ parallelCalls: isOn })}
          />
        </>
      )}
      {edited !== undefined && (
        <ToolDialog
          tool={tools[edited]}
          onClose={() => setEdited(undefined)}
          onSave={(tool) => {
            onChange({ tools: [...tools.slice(0, edited), tool, ...tools.slice(edited + 1)] });
            setEdited(undefined);
          }}
        />
      )}
    </Group>
  );
}

interface ToolDialogProps {
  /** undefined: a new one. */
  readonly tool: string | undefined;
  readonly onSave: (tool: string) => void;
  readonly onClose: () => void;
}

function ToolDialog({ tool, onSave, onClose }: ToolDialogProps) {
  const [draft, setDraft] = useState(tool ?? EXAMPLE_TOOL);
  const [wasTried, setWasTried] = useState(false);
  const mistake = findToolMistake(draft);
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      size="lg"
      title={tool === undefined ? words.addTool : words.editToolTitle}
      description={words.toolDialogHint}
      footer={
        <>
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button
            variant="primary"
            onClick={() => {
              setWasTried(true);
              if (mistake === undefined) onSave(draft);
            }}
          >
            {words.saveTool}
          </Button>
        </>
      }
    >
      <JsonField
        label={words.toolJson}
        value={draft}
        rows={12}
        onChange={setDraft}
        error={wasTried ? mistake : undefined}
      />
    </Dialog>
  );
}
