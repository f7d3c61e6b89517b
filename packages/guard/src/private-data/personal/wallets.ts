import { createHash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { TextRange } from "../../text-range.ts";
import type { ReportValue } from "../candidates/private-value.ts";

const BASE_58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE_58_CANDIDATE = /^[13LMDTt][1-9A-HJ-NP-Za-km-z]{25,34}$/;
const BECH_32_CANDIDATE = /^(?:bc|ltc)1[02-9ac-hj-np-z]{11,71}$/;
const ETHEREUM_CANDIDATE = /^0x[0-9a-fA-F]{40}$/;
const WALLET_CANDIDATE = new RegExp(
  [BASE_58_CANDIDATE, BECH_32_CANDIDATE, ETHEREUM_CANDIDATE].map(({ source }) => source).join("|"),
);
const WEIGHT = 0.65;
/**
 * The maximum number of candidates hashed per text, as hashing is slow. Any further candidates are reported unchecked.
 */
const HASHES_MAX = 16;

/** Finds wallet addresses by the checksum of their format. */
export function findWallets(text: string, words: readonly TextRange[], reportValue: ReportValue): void {
  let hashes = HASHES_MAX;
  for (const { start, end } of words) {
    if (end - start < 26 || end - start > 74) continue;
    const word = text.slice(start, end);
    if (!WALLET_CANDIDATE.test(word)) continue;
    hashes -= 1;
    if (hashes < 0 || isWallet(word)) reportValue("crypto_wallet", WEIGHT, start, end);
  }
}

function isWallet(word: string): boolean {
  if (ETHEREUM_CANDIDATE.test(word)) return isEthereum(word.slice(2));
  return (BASE_58_CANDIDATE.test(word) && isBase58Check(word)) || (BECH_32_CANDIDATE.test(word) && isBech32(word));
}

/** EIP-55: the case of each letter encodes a bit of the hash. An address in one case only has no checksum. */
function isEthereum(hex: string): boolean {
  const lower = hex.toLowerCase();
  if (!/[1-9a-f]/.test(lower) || /^(.)\1+$/.test(lower)) return false;
  if (hex === lower || hex === hex.toUpperCase()) return true;
  const hash = keccak_256(Buffer.from(lower, "latin1"));
  for (let at = 0; at < 40; at += 1) {
    const letter = lower.charAt(at);
    const nibble = ((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) & 15;
    if (hex.charAt(at) !== (nibble >= 8 ? letter.toUpperCase() : letter)) return false;
  }
  return true;
}

/** The last four of 25 bytes are the beginning of the double SHA-256 of the others. */
function isBase58Check(word: string): boolean {
  let value = 0n;
  for (const character of word) value = value * 58n + BigInt(BASE_58.indexOf(character));
  const bytes = Buffer.from(value.toString(16).padStart(50, "0"), "hex");
  if (bytes.length !== 25) return false;
  const sha = (data: Buffer) => createHash("sha256").update(data).digest();
  return sha(sha(bytes.subarray(0, 21)))
    .subarray(0, 4)
    .equals(bytes.subarray(21));
}

const BECH_32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
/** The constants of Bech32 and Bech32m. */
const BECH_32_CHECKSUMS = [1, 0x2bc830a3];

function isBech32(word: string): boolean {
  const split = word.lastIndexOf("1");
  const prefix = [...word.slice(0, split)].map((character) => character.charCodeAt(0));
  const data = [...word.slice(split + 1)].map((character) => BECH_32.indexOf(character));
  const values = [...prefix.map((code) => code >> 5), 0, ...prefix.map((code) => code & 31), ...data];
  let check = 1;
  for (const value of values) {
    const top = check >>> 25;
    check = ((check & 0x1ffffff) << 5) ^ value;
    for (let bit = 0; bit < 5; bit += 1) if (((top >> bit) & 1) === 1) check ^= GENERATOR[bit] ?? 0;
  }
  return BECH_32_CHECKSUMS.includes(check);
}
