import { crc32 } from "node:zlib";

const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Whether the last six characters are the CRC-32 of those before, in base 62, as GitHub, npm and we ourselves write keys. */
export function endsWithChecksum(body: string): boolean {
  let rest = crc32(body.slice(0, -6));
  let checksum = "";
  while (checksum.length < 6) {
    checksum = (BASE_62[rest % 62] ?? "") + checksum;
    rest = Math.floor(rest / 62);
  }
  return body.endsWith(checksum);
}
