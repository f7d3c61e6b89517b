const ROUNDS = 24;
const MASK = (1n << 64n) - 1n;
const RATE_BYTES = 136;

/** Keccak-256 as Ethereum uses it, with the padding from before it became SHA-3. For short inputs now and then. */
export function keccak256(input: Uint8Array): Uint8Array {
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
  const parity = [0, 1, 2, 3, 4].map((x) =>
    [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ laneAt(state, x + y), 0n),
  );
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
