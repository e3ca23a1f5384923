/**
 * Aliases for the rows of one statement. They hold a blank, which no collection name can, so that they never hide a
 * table; and they are numbered in order, so that the same expression always gives the same text.
 */
export class Aliases {
  private given = 0;

  next(word: string): string {
    return `${word} ${++this.given}`;
  }
}
