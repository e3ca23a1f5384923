function parseV4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0;
  for (const part of parts) {
    if (!/^\d{1,3}$/.test(part) || Number(part) > 255) return undefined;
    value = value * 256 + Number(part);
  }
  return value;
}

function expandV6(text: string): bigint | undefined {
  if (!/^[0-9a-f:]+$/i.test(text) || !text.includes(':')) return undefined;
  const [head = '', tail] = text.split('::');
  const left = head ? head.split(':') : [];
  const right = tail === undefined ? [] : tail ? tail.split(':') : [];
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 0) return undefined;
  return [...left, ...Array.from({ length: missing }, () => '0'), ...right].reduce(
    (sum, part) => (sum << 16n) + BigInt(`0x${part || '0'}`),
    0n,
  );
}

/** Whether an address is, or lies within, an entry that is an address or a CIDR subnet. Only for warnings. */
export function ipWithin(ip: string, entry: string): boolean {
  const [network = '', prefix] = entry.trim().split('/');
  const a4 = parseV4(ip);
  const b4 = parseV4(network);
  if (a4 !== undefined && b4 !== undefined) {
    const size = 2 ** (32 - (prefix === undefined ? 32 : Number(prefix)));
    return Math.floor(a4 / size) === Math.floor(b4 / size);
  }
  const a6 = expandV6(ip);
  const b6 = expandV6(network);
  if (a6 === undefined || b6 === undefined) return false;
  const shift = BigInt(128 - (prefix === undefined ? 128 : Number(prefix)));
  return a6 >> shift === b6 >> shift;
}
