const SLOTS = 16_384;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let rest = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 0x8000 ? (rest << 1) ^ 0x1021 : rest << 1;
  return rest & 0xffff;
});

/** The slot of a Redis Cluster that a key lives in: CRC16 (XMODEM) of what stands between its first braces, else of all. */
export function keySlot(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const counted = close > open + 1 ? key.slice(open + 1, close) : key;
  let rest = 0;
  for (const byte of Buffer.from(counted)) rest = ((rest << 8) ^ (TABLE[(rest >> 8) ^ byte] ?? 0)) & 0xffff;
  return rest % SLOTS;
}
