/** CRC-32 (IEEE) of the UTF-8 bytes of a text, the number stable ids are made from (COL-20, COL-27). */
export function checksum(text: string): number {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** A prefix and the checksum of a text, with a counter from 2 upwards as long as the result is taken. */
export function checksumId(prefix: string, text: string, taken: (id: string) => boolean): string {
  const id = `${prefix}${checksum(text)}`;
  if (!taken(id)) return id;
  let counter = 2;
  while (taken(`${id}${counter}`)) counter++;
  return `${id}${counter}`;
}
