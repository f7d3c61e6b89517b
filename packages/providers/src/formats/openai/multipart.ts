/** A file within a form. */
export interface FormFile {
  readonly field: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** The body of a form with a file in it. The boundary must be one that nobody could have put into the file. */
export function toMultipart(
  fields: readonly (readonly [name: string, value: string])[],
  file: FormFile,
  boundary: string,
): Buffer {
  const head = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  const texts = fields.map(([name, value]) => `${head(`name="${escapeName(name)}"`)}\r\n${value}\r\n`);
  const fileHead = head(`name="${escapeName(file.field)}"; filename="${escapeName(file.name)}"`);
  return Buffer.concat([
    Buffer.from(`${texts.join("")}${fileHead}content-type: ${file.mediaType}\r\n\r\n`),
    file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

/** What would end a name early is written as browsers write it. */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
