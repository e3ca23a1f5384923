/** Hands a text to the browser as a file. */
export function downloadText(name: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Indented JSON as a file. */
export function downloadJson(name: string, value: unknown): void {
  downloadText(name, JSON.stringify(value, null, 2));
}

/** Rows as CSV (RFC 4180), with a mark that makes spreadsheets read UTF-8. */
export function downloadCsv(name: string, columns: readonly string[], rows: readonly (readonly unknown[])[]): void {
  const cell = (value: unknown): string => {
    const text =
      value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
    // A leading = + - @ would be run as a formula by spreadsheets.
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [columns.map(cell).join(','), ...rows.map((row) => row.map(cell).join(','))];
  downloadText(name, `\uFEFF${lines.join('\r\n')}\r\n`, 'text/csv;charset=utf-8');
}
