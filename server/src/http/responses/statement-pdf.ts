import type { PdfDocument, PdfReference } from "pdfkit";

/** What a statement has, as the API answers with it. */
export interface StatementDocument {
  readonly month: string;
  readonly from: string;
  readonly to: string;
  readonly time_zone: string;
  readonly complete: boolean;
  readonly opening_balance: number;
  readonly incoming: number;
  readonly refunds: number;
  readonly charges: number;
  readonly closing_balance: number;
  readonly receipts: readonly Movement[];
  readonly taken_back: readonly Movement[];
  readonly by_model: readonly { readonly model: string; readonly requests: number; readonly cost: number }[];
  readonly by_key: readonly {
    readonly key_id: string;
    readonly key_name: string | null;
    readonly requests: number;
    readonly cost: number;
  }[];
  readonly issuer: { readonly name: string; readonly url: string | null };
  readonly recipient: {
    readonly name: string;
    readonly company: string | null;
    readonly address: readonly string[];
    readonly country: string | null;
    readonly tax_id: string | null;
    readonly email: string | null;
  };
}

interface Movement {
  readonly number: string;
  readonly date: string;
  readonly description: string;
  readonly amount: number;
}

const MARGIN = 50;
const LINE = 15;
const SIZE = 9.5;
const TEXT = "#111827";
const MUTED = "#6b7280";
const RULE = "#d1d5db";

/** A statement as a PDF of A4 pages, with the figures of `GET /v1/statements/{month}`, each with every decimal. */
export async function writeStatementPdf(statement: StatementDocument): Promise<Buffer> {
  // Loaded when it is first needed.
  const { default: PDFDocument } = await import("pdfkit");
  const document = new PDFDocument({
    size: "A4",
    margin: MARGIN,
    bufferPages: true,
    info: { Title: `Statement ${statement.month}`, Author: statement.issuer.name },
  });
  const chunks: Buffer[] = [];
  const isWritten = new Promise<Buffer>((resolve) => {
    document.on("data", (chunk) => chunks.push(chunk)).on("end", () => resolve(Buffer.concat(chunks)));
  });
  new StatementSheet(document).write(statement);
  document.end();
  return isWritten;
}

/** Credits are US dollars at list price. */
function money(credits: number): string {
  const text = Math.abs(credits).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 9 });
  return `${credits < 0 ? "-" : ""}$${text}`;
}

type Row = readonly string[];

class StatementSheet {
  readonly #document: PdfDocument;
  readonly #right: number;
  readonly #bottom: number;
  #y = MARGIN;
  #asianFont: PdfReference | undefined;

  constructor(document: PdfDocument) {
    this.#document = document;
    this.#right = document.page.width - MARGIN;
    this.#bottom = document.page.height - MARGIN - LINE;
  }

  write(statement: StatementDocument): void {
    this.#heading(statement);
    this.#parties(statement);
    this.#table(
      "Balance",
      [`Time zone: ${statement.time_zone}`, "Amount"],
      [
        ["Opening balance", money(statement.opening_balance)],
        ["Credits added", money(statement.incoming)],
        ...(statement.refunds === 0 ? [] : [["Refunds and disputes", money(-statement.refunds)]]),
        ["Charges", money(-statement.charges)],
      ],
      ["Closing balance", money(statement.closing_balance)],
    );
    const movements = [...statement.receipts, ...statement.taken_back];
    if (movements.length > 0) {
      const rows = movements.map(({ description, date, number, amount }) => [description, date, number, money(amount)]);
      const total = money(statement.incoming - statement.refunds);
      this.#table("Credits added and taken back", ["Description", "Date", "Number", "Amount"], rows, ["Total", total]);
    }
    const total = ["Total", money(statement.charges)];
    const counted = (requests: number) => requests.toLocaleString("en-US");
    if (statement.by_model.length > 0) {
      const rows = statement.by_model.map(({ model, requests, cost }) => [model, counted(requests), money(cost)]);
      this.#table("Charges by model", ["Model", "Requests", "Amount"], rows, total);
    }
    if (statement.by_key.length > 0) {
      const rows = statement.by_key.map((key) => [key.key_name ?? key.key_id, counted(key.requests), money(key.cost)]);
      this.#table("Charges by key", ["Key", "Requests", "Amount"], rows, total);
    }
    this.#numberPages();
  }

  #heading({ month, from, to, time_zone: zone, complete }: StatementDocument): void {
    const day = (at: Date) => at.toLocaleDateString("en-CA", { timeZone: zone });
    this.#write(`Statement ${month}`, MARGIN, { size: 18, isBold: true });
    this.#y += 26;
    const last = new Date(new Date(to).getTime() - 1);
    this.#line(
      `${day(new Date(from))} to ${day(last)}${complete ? "" : ". The month is not over: this is how it stands."}`,
      {
        colour: MUTED,
      },
    );
    this.#y += LINE;
  }

  #parties({ issuer, recipient }: StatementDocument): void {
    const from = ["From", issuer.name, ...(issuer.url === null ? [] : [issuer.url])];
    const isNamed = recipient.company !== null && recipient.company !== recipient.name;
    const to = [
      "To",
      recipient.company ?? recipient.name,
      ...(isNamed ? [recipient.name] : []),
      ...recipient.address,
      ...(recipient.country === null ? [] : [recipient.country]),
      ...(recipient.tax_id === null ? [] : [`Tax ID ${recipient.tax_id}`]),
      ...(recipient.email === null ? [] : [recipient.email]),
    ];
    const half = (this.#right - MARGIN) / 2;
    const top = this.#y;
    for (const [column, lines] of [from, to].entries()) {
      this.#y = top;
      for (const [place, text] of lines.entries()) {
        const look = place === 0 ? { colour: MUTED } : { isBold: place === 1 };
        this.#write(text, MARGIN + column * half, { ...look, width: half - 20 });
        this.#y += LINE;
      }
    }
    this.#y = top + Math.max(from.length, to.length) * LINE + LINE;
  }

  /** Names at the left, figures at the right, and a sum below. The head is repeated on each page. */
  #table(title: string, head: Row, rows: readonly Row[], sum: Row): void {
    this.#makeRoom(4);
    this.#line(title, { isBold: true, size: 11 });
    this.#y += 4;
    this.#row(head, head.length, { colour: MUTED });
    for (const row of rows) {
      if (this.#makeRoom(1)) this.#row(head, head.length, { colour: MUTED });
      this.#row(row, head.length, {});
    }
    this.#makeRoom(1);
    const blanks = Array<string>(head.length - sum.length).fill("");
    this.#row([sum[0] ?? "", ...blanks, ...sum.slice(1)], head.length, { isBold: true });
    this.#y += LINE;
  }

  #row(cells: Row, columns: number, look: Look): void {
    const cellWidth = 100;
    const first = this.#right - MARGIN - (columns - 1) * cellWidth - 10;
    for (const [place, text] of cells.entries()) {
      if (place === 0) this.#write(text, MARGIN, { ...look, width: first });
      else
        this.#write(text, this.#right - (columns - 1 - place) * cellWidth, {
          ...look,
          isRight: true,
          width: cellWidth,
        });
    }
    const below = this.#y + LINE - 2;
    this.#document.moveTo(MARGIN, below).lineTo(this.#right, below).lineWidth(0.5).strokeColor(RULE).stroke();
    this.#y += LINE + 2;
  }

  #line(text: string, look: Look): void {
    this.#write(text, MARGIN, { ...look, width: this.#right - MARGIN });
    this.#y += LINE;
  }

  /** Begins a page where fewer lines than these are left; true if it did. */
  #makeRoom(lines: number): boolean {
    if (this.#y + lines * (LINE + 2) <= this.#bottom) return false;
    this.#document.addPage();
    this.#y = MARGIN;
    return true;
  }

  #numberPages(): void {
    const { count } = this.#document.bufferedPageRange();
    for (let page = 0; page < count; page++) {
      this.#document.switchToPage(page);
      this.#y = this.#document.page.height - MARGIN + 10;
      this.#write(`Page ${page + 1} of ${count}`, this.#right, { colour: MUTED, isRight: true, width: 120 });
    }
  }

  /** Writes one line, shortened to its width. A right-aligned one ends at `x`. */
  #write(text: string, x: number, { size = SIZE, isBold = false, colour = TEXT, isRight = false, width }: Look): void {
    this.#document
      .font(isBold ? "Helvetica-Bold" : "Helvetica")
      .fontSize(size)
      .fillColor(colour);
    const plain = text.replaceAll(/\p{C}/gu, " ");
    const shown = this.#shorten(plain, size, width ?? this.#right - MARGIN);
    const left = isRight ? x - this.#widthOf(shown, size) : x;
    if (isLatin(shown)) this.#document.text(shown, left, this.#y, { lineBreak: false });
    else this.#writeAsian(shown, left, size);
  }

  #shorten(text: string, size: number, width: number): string {
    if (this.#widthOf(text, size) <= width) return text;
    const characters = [...text];
    while (characters.length > 1 && this.#widthOf(`${characters.join("")}...`, size) > width) characters.pop();
    return `${characters.join("")}...`;
  }

  /** In the Asian font every character is as wide as it is high, but for ASCII, which is half of that. */
  #widthOf(text: string, size: number): number {
    if (isLatin(text)) return this.#document.widthOfString(text);
    return [...text].reduce((sum, character) => sum + (character <= "~" ? size / 2 : size), 0);
  }

  /**
   * The standard fonts have Latin letters only. Chinese and Japanese are written in a font that PDF readers bring along,
   * named and not embedded: an embedded one would be some megabytes. Characters beyond it are left to the reader's choice.
   */
  #writeAsian(text: string, x: number, size: number): void {
    this.#asianFont ??= createAsianFont(this.#document);
    this.#document.page.fonts.Asian = this.#asianFont;
    const hex = Buffer.from(text, "utf16le").swap16().toString("hex");
    // The page is drawn upside down, as pdfkit has its origin at the top.
    this.#document.addContent(
      `BT 1 0 0 -1 ${x.toFixed(2)} ${(this.#y + size).toFixed(2)} Tm /Asian ${size} Tf <${hex}> Tj ET`,
    );
  }
}

interface Look {
  readonly size?: number;
  readonly isBold?: boolean;
  readonly colour?: string;
  readonly isRight?: boolean;
  readonly width?: number;
}

/** Whether the standard fonts have all of it. */
function isLatin(text: string): boolean {
  return /^[\x20-\x7e\xa0-\xff\u20ac\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026]*$/.test(text);
}

function createAsianFont(document: PdfDocument): PdfReference {
  const descriptor = document.ref({
    Type: "FontDescriptor",
    FontName: "STSong-Light",
    Flags: 4,
    FontBBox: [-25, -254, 1000, 880],
    ItalicAngle: 0,
    Ascent: 880,
    Descent: -120,
    CapHeight: 880,
    StemV: 93,
  });
  descriptor.end();
  const descendant = document.ref({
    Type: "Font",
    Subtype: "CIDFontType0",
    BaseFont: "STSong-Light",
    CIDSystemInfo: { Registry: new String("Adobe"), Ordering: new String("GB1"), Supplement: 4 },
    FontDescriptor: descriptor,
    DW: 1000,
    // ASCII is half as wide.
    W: [1, 95, 500, 814, 939, 500],
  });
  descendant.end();
  const font = document.ref({
    Type: "Font",
    Subtype: "Type0",
    BaseFont: "STSong-Light-UniGB-UTF16-H",
    Encoding: "UniGB-UTF16-H",
    DescendantFonts: [descendant],
  });
  font.end();
  return font;
}
