/** How often a line on a terminal changes. */
const INTERVAL = 200;

/** A line that shows the progress of long work; nothing is written when stdout is no terminal. */
export class ProgressLine {
  private lastAt = -Infinity;
  private isShown = false;

  constructor(private readonly output: NodeJS.WriteStream) {}

  /** Shows the line instead of the previous one, unless that was shown a moment ago. */
  show(text: string): void {
    const now = performance.now();
    if (!this.output.isTTY || now - this.lastAt < INTERVAL) return;
    this.lastAt = now;
    this.isShown = true;
    this.output.write(`\r\x1b[K${text}`);
  }

  /** Takes the line away. The next one is shown at once. */
  clear(): void {
    if (this.isShown) this.output.write('\r\x1b[K');
    this.isShown = false;
    this.lastAt = -Infinity;
  }
}

/** How much of many files there is so far. */
export function formatAmount({ files, bytes }: { readonly files: number; readonly bytes: number }): string {
  return `${formatBytes(bytes)} in ${files} ${files === 1 ? 'file' : 'files'}`;
}

/** Bytes as a person reads them. */
function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
