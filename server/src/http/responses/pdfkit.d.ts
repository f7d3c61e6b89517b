/** What is used of pdfkit, which comes without types. */
declare module "pdfkit" {
  interface PdfReference {
    end(): void;
  }

  interface PdfDocument {
    readonly page: {
      readonly width: number;
      readonly height: number;
      readonly fonts: Record<string, PdfReference>;
    };
    y: number;
    on(event: "data", listener: (chunk: Buffer) => void): this;
    on(event: "end", listener: () => void): this;
    font(name: string): this;
    fontSize(size: number): this;
    fillColor(colour: string): this;
    widthOfString(text: string): number;
    text(text: string, x: number, y: number, options: { readonly lineBreak: false }): this;
    moveTo(x: number, y: number): this;
    lineTo(x: number, y: number): this;
    lineWidth(width: number): this;
    strokeColor(colour: string): this;
    stroke(): this;
    addPage(): this;
    addContent(content: string): this;
    ref(data: Readonly<Record<string, unknown>>): PdfReference;
    bufferedPageRange(): { readonly count: number };
    switchToPage(page: number): this;
    end(): void;
  }

  const PDFDocument: new (options: Readonly<Record<string, unknown>>) => PdfDocument;
  export default PDFDocument;
  export type { PdfDocument, PdfReference };
}
