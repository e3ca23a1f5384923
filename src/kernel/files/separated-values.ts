/** Separators of values, and the type of a text whose lines have them. Spreadsheets of many countries write `;`. */
const SEPARATORS: readonly (readonly [separator: string, type: string])[] = [
  [',', 'text/csv'],
  ['\t', 'text/tab-separated-values'],
  [';', 'text/csv'],
];

interface Row {
  readonly values: number;
  /** Whether something stands in each of them. */
  readonly isFilled: boolean;
}

/** The type of a text that is a table: two or more lines of the same number of values, at least two each. */
export function separatedValuesType(text: string, isWhole: boolean): string | undefined {
  return SEPARATORS.find(([separator]) => {
    const rows = rowsOf(text, separator);
    if (!isWhole) rows.pop();
    const [first] = rows;
    if (rows.length < 2 || first!.values < 2 || rows.some(({ values }) => values !== first!.values)) return false;
    // Lines of code begin with tabs and end with semicolons; tables begin with the names of their columns.
    return separator === ',' || first!.isFilled;
  })?.[1];
}

/** The lines that are not empty; line ends and separators inside quotes do not count. */
function rowsOf(text: string, separator: string): Row[] {
  const rows: Row[] = [];
  let values = 1;
  let isQuoted = false;
  let isFilled = true;
  let isBegun = false;
  let isEmpty = true;
  for (const character of `${text}\n`) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === '\r') continue;
    const isEnd = character === '\n' && !isQuoted;
    if (isEnd || (character === separator && !isQuoted)) {
      isFilled &&= isBegun;
      isBegun = false;
      if (!isEnd) values++;
    } else {
      isBegun = true;
    }
    if (!isEnd) {
      isEmpty = false;
      continue;
    }
    if (!isEmpty) rows.push({ values, isFilled });
    values = 1;
    isFilled = true;
    isEmpty = true;
  }
  return rows;
}
