import { createHash } from "node:crypto";
import type { ReportValue } from "../private-value.ts";
import type { TextRange } from "../scan-text.ts";

const BASE_58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE_58_CANDIDATE = /^[13LMDTt][1-9A-HJ-NP-Za-km-z]{25,34}$/;
const BECH_32_CANDIDATE = /^(?:bc|ltc)1[02-9ac-hj-np-z]{11,71}$/;
const ETHEREUM_CANDIDATE = /^0x[0-9a-fA-F]{40}$/;
const WALLET_CANDIDATE = new RegExp(
  [BASE_58_CANDIDATE, BECH_32_CANDIDATE, ETHEREUM_CANDIDATE].map(({ source }) => source).join("|"),
);
const WEIGHT = 0.65;
/** How many are checked in one text: hashing takes its time, and a text full of wallets is full of wallets. */
const HASHES_MAX = 16;

/** Addresses of wallets, by the check that each of their forms carries. */
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

/** EIP-55: the case of each letter is a bit of the hash. In one case alone there is no check. */
function isEthereum(hex: string): boolean {
  const lower = hex.toLowerCase();
  if (!/[1-9a-f]/.test(lower) || /^(.)\1+$/.test(lower)) return false;
  if (hex === lower || hex === hex.toUpperCase()) return true;
  const hash = keccak256(Buffer.from(lower, "latin1"));
  for (let at = 0; at < 40; at += 1) {
    const letter = lower.charAt(at);
    const nibble = ((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) & 15;
    if (hex.charAt(at) !== (nibble >= 8 ? letter.toUpperCase() : letter)) return false;
  }
  return true;
}

/** The last four of 25 bytes are the beginning of the hash's hash of the others. */
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
/** Of Bech32 and of Bech32m. */
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

const ROUNDS = 24;
const MASK = (1n << 64n) - 1n;
const RATE_BYTES = 136;

/** Keccak-256 as Ethereum uses it, with the padding from before it became SHA-3. For short inputs now and then. */
function keccak256(input: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((input.length + 1) / RATE_BYTES) * RATE_BYTES);
  padded.set(input);
  padded[input.length] = 1;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  let state = new Array<bigint>(25).fill(0n);
  const view = new DataView(padded.buffer);
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane += 1) {
      state[lane] = laneAt(state, lane) ^ view.getBigUint64(block + lane * 8, true);
    }
    state = permute(state);
  }
  const hash = new Uint8Array(32);
  const out = new DataView(hash.buffer);
  for (let lane = 0; lane < 4; lane += 1) out.setBigUint64(lane * 8, laneAt(state, lane), true);
  return hash;
}

function permute(given: readonly bigint[]): bigint[] {
  let state = [...given];
  let register = 1;
  for (let round = 0; round < ROUNDS; round += 1) {
    state = chi(rhoPi(theta(state)));
    let constant = 0n;
    for (let bit = 0; bit < 7; bit += 1) {
      if ((register & 1) === 1) constant ^= 1n << BigInt((1 << bit) - 1);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    state[0] = laneAt(state, 0) ^ constant;
  }
  return state;
}

/** Theta: each column hears of its neighbours. */
function theta(state: readonly bigint[]): bigint[] {
  const parity = [0, 1, 2, 3, 4].map((x) => [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ laneAt(state, x + y), 0n));
  return state.map((lane, place) => {
    const x = place % 5;
    return lane ^ laneAt(parity, (x + 4) % 5) ^ rotateLeft(laneAt(parity, (x + 1) % 5), 1);
  });
}

/** Rho and pi: each lane is turned and moved. */
function rhoPi(state: readonly bigint[]): bigint[] {
  const result = [...state];
  let x = 1;
  let y = 0;
  for (let step = 0; step < 24; step += 1) {
    const [nextX, nextY] = [y, (2 * x + 3 * y) % 5];
    result[nextX + 5 * nextY] = rotateLeft(laneAt(state, x + 5 * y), (((step + 1) * (step + 2)) / 2) % 64);
    [x, y] = [nextX, nextY];
  }
  return result;
}

/** Chi: the one step that is not linear. */
function chi(state: readonly bigint[]): bigint[] {
  return state.map((lane, place) => {
    const row = place - (place % 5);
    return lane ^ (~laneAt(state, row + ((place + 1) % 5)) & MASK & laneAt(state, row + ((place + 2) % 5)));
  });
}

function rotateLeft(lane: bigint, by: number): bigint {
  return ((lane << BigInt(by)) | (lane >> BigInt(64 - by))) & MASK;
}

function laneAt(lanes: readonly bigint[], place: number): bigint {
  return lanes[place] ?? 0n;
}
