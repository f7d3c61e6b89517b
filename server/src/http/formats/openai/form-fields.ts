import { z } from "zod";
import { Field } from "../../requests/field-table.ts";
import { invalidField } from "../../requests/fields.ts";
import { FormFile } from "../../requests/read-body.ts";

/** A file of a form as a data URL, with its name. */
export interface UploadedFile {
  readonly url: string;
  readonly name: string;
}

/** Reads a file of one kind. `mediaTypes` are by the endings of file names, for clients that send no media type. */
export function fileField(
  kind: string,
  isMediaType: RegExp,
  mediaTypes: Readonly<Record<string, string>>,
): Field<UploadedFile> {
  const read = (value: unknown, param: string) => {
    if (!(value instanceof FormFile))
      throw invalidField(param, `\`${param}\` ${value === undefined ? "is required" : "must be a file with a name"}.`);
    if (value.bytes.length === 0) throw invalidField(param, `\`${param}\` must not be empty.`);
    const extension = /\.([a-z0-9]+)$/i.exec(value.name)?.[1]?.toLowerCase() ?? "";
    const known = Object.hasOwn(mediaTypes, extension) ? mediaTypes[extension] : undefined;
    const type = isMediaType.test(value.mediaType) ? value.mediaType : known;
    if (type === undefined) {
      const endings = Object.keys(mediaTypes).join(", ");
      throw invalidField(param, `\`${param}\` must be ${kind}. Give it a name that ends in one of: ${endings}.`);
    }
    return { url: `data:${type};base64,${value.bytes.toString("base64")}`, name: value.name };
  };
  return new Field(read, z.string());
}

/** A number of a form, where every field is a text. */
export function formNumberField(min: number, max: number, isWhole = false): Field<number> {
  const read = (value: unknown, param: string) => {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max) || (isWhole && !Number.isInteger(number)))
      throw invalidField(param, `\`${param}\` must be ${isWhole ? "a whole number " : ""}from ${min} to ${max}.`);
    return number;
  };
  return new Field(read, z.string()).describe(`A ${isWhole ? "whole " : ""}number from ${min} to ${max}.`);
}
