import { z } from "zod";

/** keccak256 of `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** keccak256 of `Deposited(address,bytes32,uint256)`. */
export const DEPOSITED_TOPIC = "0xfe447f84c02bd3d47e0f77ccc68779ac1a79d4a2e3a0a66f626b495f8bf88084";

/** The first four bytes of the calls that are made. */
export const SELECTORS = {
  balanceOf: "0x70a08231",
  decimals: "0x313ce567",
  symbol: "0x95d89b41",
  token: "0xfc0c546a",
  treasury: "0x61d027b3",
  latestRoundData: "0xfeaf968c",
  isValidSignature: "0x1626ba7e",
} as const;

const WORD_DIGITS = 64;

const quantitySchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => BigInt(text));
const hashSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase());
const bytesSchema = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/);

export const blockSchema = z.object({ number: quantitySchema, hash: hashSchema, timestamp: quantitySchema });
export const logSchema = z.object({
  topics: z.array(hashSchema).max(4),
  data: bytesSchema,
  blockNumber: quantitySchema,
  blockHash: hashSchema,
  transactionHash: hashSchema,
  logIndex: quantitySchema.transform(Number),
  removed: z.boolean().optional(),
});
export const logsSchema = z.array(logSchema);
export { bytesSchema, quantitySchema };

export type ChainLog = z.output<typeof logSchema>;

export function toQuantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}

/** An address or a number as one 32-byte word, without `0x`. */
export function toWord(value: string | bigint): string {
  const digits = typeof value === "bigint" ? value.toString(16) : value.slice(2).toLowerCase();
  return digits.padStart(WORD_DIGITS, "0");
}

/** The numbers of an answer, one for each 32-byte word. */
export function readWords(data: string): bigint[] {
  const digits = bytesSchema.parse(data).slice(2);
  return Array.from({ length: Math.floor(digits.length / WORD_DIGITS) }, (_, index) =>
    BigInt(`0x${digits.slice(index * WORD_DIGITS, (index + 1) * WORD_DIGITS)}`),
  );
}

/** The address in a 32-byte word; undefined where the word is none. */
export function addressOf(word: string | undefined): string | undefined {
  return word !== undefined && /^0x0{24}[0-9a-f]{40}$/.test(word) ? `0x${word.slice(-40)}` : undefined;
}

/** The text of an answer; tokens of the first years give 32 bytes in place of a string. */
export function readText(data: string): string {
  const bytes = Buffer.from(data.slice(2), "hex");
  const length = bytes.length >= 64 ? Number(BigInt(`0x${bytes.subarray(32, 64).toString("hex")}`)) : 32;
  const text = bytes.length >= 64 ? bytes.subarray(64, 64 + Math.min(length, 64)) : bytes;
  return text.toString("utf8").replace(/[^\x20-\x7e]/g, "");
}

/** An integer below zero is written as two's complement. */
export function toSigned(word: bigint): bigint {
  return BigInt.asIntN(256, word);
}
