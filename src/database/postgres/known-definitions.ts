/** Counts the changes of definitions and settings by whatever process. */
export const DEFINITIONS_VERSION = 'SELECT sum("number")::text FROM "_versions"';

/** Which version of definitions and settings this process has in memory, where others change them, too (SCALE-23). */
export class KnownDefinitions {
  private version?: string;
  private reading?: Promise<void>;

  constructor(
    /** Reads what has changed. */
    private readonly read: () => Promise<void>,
  ) {}

  /** Whether memory has this version, and nothing of it is still being read. */
  are(version: string): boolean {
    return version === this.version && !this.reading;
  }

  /** Reads the definitions when their version is another; undefined when there is nothing to wait for. */
  follow(version: string): Promise<void> | undefined {
    if (version === this.version) return this.reading;
    this.version = version;
    const reading = this.read()
      .catch((error: unknown) => {
        this.version = undefined;
        throw error;
      })
      .finally(() => {
        if (this.reading === reading) this.reading = undefined;
      });
    this.reading = reading;
    return reading;
  }
}
