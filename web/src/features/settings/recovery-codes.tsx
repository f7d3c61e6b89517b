import { Download, Printer } from "lucide-react";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { saveFile } from "../../ui/save-file.ts";

const HEADING = "Recovery codes for Trunkline. Each works once.";

/** The recovery codes, shown this once, and the ways to keep them. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const text = `${HEADING}\n\n${codes.join("\n")}\n`;
  return (
    <div className="grid gap-4">
      <Banner tone="warning">
        Keep these where you find them without your phone. They can't be shown again, and each works once.
      </Banner>
      <ul
        aria-label="Recovery codes"
        className="grid gap-x-6 gap-y-1 rounded-md bg-subtle p-4 font-mono text-sm sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} label="Copy" />
        <Button
          size="sm"
          icon={<Download aria-hidden="true" />}
          onClick={() => saveFile("trunkline-recovery-codes.txt", "text/plain", text)}
        >
          Download
        </Button>
        <Button size="sm" icon={<Printer aria-hidden="true" />} onClick={() => print(text)}>
          Print
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
  page.document.title = "Recovery codes";
  page.document.body.append(sheet);
  page.print();
}
