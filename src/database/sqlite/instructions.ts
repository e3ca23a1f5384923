/** One instruction of a compiled statement, as EXPLAIN shows it. */
export interface Instruction {
  readonly addr: number;
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
  readonly p3: number;
  readonly p4?: string | number | null;
}

/** Instructions inside a loop that never leave out what follows them. */
const STRAIGHT: ReadonlySet<string> = new Set([
  'Column',
  'MakeRecord',
  'Rowid',
  'IdxRowid',
  'DeferredSeek',
  'ResultRow',
  'DecrJumpZero',
  'Copy',
  'SCopy',
  'Integer',
  'Null',
  'String8',
  'Variable',
  'Affinity',
  'RealAffinity',
]);

/**
 * Instructions that may leave out what follows them. Between two values of a row they choose, and the row goes out all
 * the same.
 */
const CHOICES: ReadonlySet<string> = new Set([
  'Eq',
  'Ne',
  'Lt',
  'Le',
  'Gt',
  'Ge',
  'If',
  'IfNot',
  'IsNull',
  'NotNull',
  'Goto',
]);

/** What belongs to sorting one group of rows after the other. */
export const GROUPING: ReadonlySet<string> = new Set([
  'Compare',
  'Jump',
  'Gosub',
  'Move',
  'Sequence',
  'MakeRecord',
  'IfNotZero',
]);

/** With the cursor of the sorter: rows beyond the LIMIT are not kept. */
export const SORTING: ReadonlySet<string> = new Set([
  'Last',
  'IdxLE',
  'IdxLT',
  'IdxGE',
  'IdxGT',
  'Delete',
  'ResetSorter',
]);

export const LOOP_ENDS: ReadonlySet<string> = new Set(['Next', 'Prev', 'SorterNext', 'VNext']);
export const SCAN_STARTS: ReadonlySet<string> = new Set(['Rewind', 'Last']);
export const FILLS: ReadonlySet<string> = new Set(['IdxInsert', 'Insert', 'SorterInsert']);
export const OPENS: ReadonlySet<string> = new Set(['OpenEphemeral', 'OpenAutoindex', 'SorterOpen', 'ResetSorter']);
export const SEEKS: ReadonlySet<string> = new Set(['SeekGE', 'SeekGT', 'SeekLE', 'SeekLT']);
/** Look for one row, in a table or an index. */
export const LOOKUPS: ReadonlySet<string> = new Set([
  'SeekRowid',
  'NotExists',
  'Found',
  'NotFound',
  'NoConflict',
  'FinishSeek',
]);
export const INDEX_ENDS: ReadonlySet<string> = new Set(['IdxGT', 'IdxGE', 'IdxLT', 'IdxLE']);
export const CALLS: ReadonlySet<string> = new Set(['Function', 'PureFunc', 'AggStep', 'AggStep1']);

/** Whether what follows the instruction up to this address is reached whatever it finds. */
export function leadsTo(addr: number, instruction: Instruction): boolean {
  const { opcode, p2 } = instruction;
  if (STRAIGHT.has(opcode) || (CALLS.has(opcode) && !opcode.startsWith('Agg'))) return true;
  return CHOICES.has(opcode) && instruction.addr < p2 && p2 <= addr;
}

export function isLike({ opcode, p4 }: Instruction): boolean {
  return CALLS.has(opcode) && /^(like|glob)\(/.test(String(p4 ?? ''));
}

/** Database 0 is the file itself; the others are temporary tables. */
export function isOpenRead({ opcode, p3 }: Instruction): boolean {
  return (opcode === 'OpenRead' || opcode === 'ReopenIdx') && p3 === 0;
}
