import { Download, Printer } from "lucide-react";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { saveFile } from "../../ui/save-file.ts";

const TEXTS = texts.settings.security;

/** The recovery codes, shown this once, and the ways to keep them. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const text = `${TEXTS.recoveryFile}\n\n${codes.join("\n")}\n`;
  return (
    <div className="grid gap-4">
      <Banner tone="warning">{TEXTS.recoveryWarning}</Banner>
      <ul
        aria-label={TEXTS.recoveryCodes}
        className="grid gap-x-6 gap-y-1 rounded-md bg-subtle p-4 font-mono text-sm sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} label={TEXTS.copy} />
        <Button
          size="sm"
          icon={<Download aria-hidden="true" />}
          onClick={() => saveFile("trunkline-recovery-codes.txt", "text/plain", text)}
        >
          {TEXTS.download}
        </Button>
        <Button size="sm" icon={<Printer aria-hidden="true" />} onClick={() => print(text)}>
          {TEXTS.print}
        </Button>
      </div>
    </div>
  );
}

/** A page of its own, so that nothing else is on the paper. */
function print(text: string): void {
  const page = window.open("", "_blank", "width=480,height=640");
  if (page === null) return;
  const sheet = page.document.createElement("pre");
  sheet.textContent = text;
  page.document.title = TEXTS.recoveryCodes;
  page.document.body.append(sheet);
  page.print();
}
