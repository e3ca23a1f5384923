/**
 * Collects text in parts: runs of whitespace become one blank, the ends are trimmed, and `max` code points are kept.
 */
export class PlainText {
  private text = '';
  private length = 0;
  private blankBefore = false;

  constructor(readonly max: number) {}

  /** Whether there was more text than fits; from then on appending changes nothing. */
  get isCut(): boolean {
    return this.length > this.max;
  }

  append(part: string): void {
    // Markup splits text into very many parts of a few characters.
    if (!/\s/.test(part)) return this.isCut ? undefined : this.appendWord(part);
    for (const [run] of part.matchAll(/\s+|\S+/g)) {
      if (this.isCut) return;
      if (/\s/.test(run.charAt(0))) this.appendBlank();
      else this.appendWord(run);
    }
  }

  appendBlank(): void {
    this.blankBefore = this.length > 0;
  }

  toString(): string {
    return this.text.trimEnd();
  }

  private appendWord(word: string): void {
    const text = this.blankBefore ? ` ${word}` : word;
    this.blankBefore = false;
    // Most words fit as a whole; checking each character would take ten times as long.
    if (text.length <= this.max - this.length) {
      this.text += text;
      this.length += codePoints(text);
    } else this.appendPart(text);
  }

  private appendPart(text: string): void {
    for (const codePoint of text) {
      if (this.isCut) return;
      if (this.length++ < this.max) this.text += codePoint;
    }
  }
}

function codePoints(text: string): number {
  return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
}
