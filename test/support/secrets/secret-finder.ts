/** How many bytes of a secret are looked at for every position of a text. */
const START = 4;

/** Finds any of many secrets in a text, in one pass over it whatever their number. */
export class SecretFinder {
  private readonly byStart = new Map<number, Buffer[]>();
  private readonly starts = new Uint8Array(2 ** 16);

  /** None of them may be shorter than four bytes. */
  constructor(secrets: Iterable<string>) {
    for (const secret of secrets) {
      const bytes = Buffer.from(secret);
      const start = bytes.readUInt32BE(0);
      this.starts[slot(start)] = 1;
      this.byStart.set(start, [...(this.byStart.get(start) ?? []), bytes]);
    }
  }

  /** The first secret that stands in the text. */
  find(text: Buffer): string | undefined {
    let window = 0;
    for (let end = 0; end < text.length; end++) {
      window = ((window << 8) | text[end]!) >>> 0;
      if (this.starts[slot(window)] === 0 || end + 1 < START) continue;
      const at = end + 1 - START;
      const found = this.byStart
        .get(window)
        ?.find(
          (secret) =>
            text.length >= at + secret.length && text.compare(secret, 0, secret.length, at, at + secret.length) === 0,
        );
      if (found) return found.toString();
    }
    return undefined;
  }
}

/** Where a beginning stands in the table that most positions of a text are turned away by. */
function slot(start: number): number {
  return Math.imul(start, 0x9e3779b1) >>> 16;
}
