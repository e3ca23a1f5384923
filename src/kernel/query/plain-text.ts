/** Collects text in parts: runs of whitespace become one blank, the ends are trimmed, and `max` code points are kept. */
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
    const kept: string[] = [];
    if (this.blankBefore) this.keep(' ', kept);
    for (const codePoint of word) {
      if (this.isCut) break;
      this.keep(codePoint, kept);
    }
    this.blankBefore = false;
    this.text += kept.join('');
  }

  private keep(codePoint: string, kept: string[]): void {
    if (this.length++ < this.max) kept.push(codePoint);
  }
}
