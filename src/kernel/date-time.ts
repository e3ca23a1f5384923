/** A moment in the product's format `YYYY-MM-DD HH:mm:ss.SSSZ` (CONV-3): UTC, so that text order is time order. */
export function formatDateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ');
}
