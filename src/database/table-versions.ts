/**
 * Counts the commits that touched each table, so that caches can tell whether they are valid. A commit without known
 * tables counts for all of them.
 */
export class TableVersions {
  private readonly commits = new Map<string, number>();
  private unknown = 0;
  private total = 0;

  /** A text that differs from an earlier one when one of the tables may have changed. No tables mean any of them. */
  of(tables: readonly string[]): string {
    if (tables.length === 0) return String(this.total);
    let text = String(this.unknown);
    for (const table of tables) text += `.${this.commits.get(table.toLowerCase()) ?? 0}`;
    return text;
  }

  /** Counts a commit; undefined stands for all tables. */
  count(tables: Iterable<string> | undefined): void {
    this.total += 1;
    if (tables === undefined) {
      this.unknown += 1;
      return;
    }
    for (const table of tables) {
      const name = table.toLowerCase();
      this.commits.set(name, (this.commits.get(name) ?? 0) + 1);
    }
  }
}
