/** Names and values in turn, as `writeHead` takes them. */
type HeaderList = (string | string[])[];

/**
 * The headers of a response: names in small letters, each once. They are collected as the text in which a plain response
 * sends them, since a list would have to be joined for every answer.
 */
export class HeaderLines {
  #text = "";
  /** All of them, where the text can't have them all. */
  #list: HeaderList | undefined;

  add(name: string, value: string | string[]): void {
    const isPlain = typeof value === "string" && name !== "connection" && !UNSAFE.test(value);
    if (isPlain && this.#list === undefined) {
      this.#text += `${name}: ${value}\r\n`;
      return;
    }
    this.#list ??= toList(this.#text);
    this.#list.push(name, value);
  }

  /** Adds a header that most responses have with the same value: its line is made again only where the value is another. */
  addRepeated(name: string, value: string): void {
    const last = lastLines.get(name);
    if (last?.value === value) this.addLines(last.line);
    else if (UNSAFE.test(value)) this.add(name, value);
    else {
      const line = `${name}: ${value}\r\n`;
      if (last === undefined) lastLines.set(name, { value, line });
      else {
        last.value = value;
        last.line = line;
      }
      this.addLines(line);
    }
  }

  /** Adds whole lines, each with its line break, whose values are visible ASCII for sure. */
  addLines(lines: string): void {
    if (this.#list === undefined) this.#text += lines;
    else for (const each of toList(lines)) this.#list.push(each);
  }

  /** Each header as a line with its line break; undefined where one can't be sent so, or ends the connection. */
  get lines(): string | undefined {
    return this.#list === undefined ? this.#text : undefined;
  }

  get list(): HeaderList {
    return this.#list ?? toList(this.#text);
  }
}

/** The last line of each header that is repeated. */
const lastLines = new Map<string, { value: string; line: string }>();

/** Line breaks would end a header, and what is not ASCII depends on the encoding of the body. */
const UNSAFE = /[^\t\x20-\x7e]/;

function toList(text: string): HeaderList {
  const list: HeaderList = [];
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(": ");
    if (colon !== -1) list.push(line.slice(0, colon), line.slice(colon + 2));
  }
  return list;
}
