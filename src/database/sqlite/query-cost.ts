/** One instruction of a compiled statement, as EXPLAIN shows it. */
export interface Instruction {
  readonly addr: number;
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
  readonly p3: number;
}

/** How much a statement may have to do at worst, whatever its values are. */
export interface QueryCost {
  /** Rows its loops may visit, nested loops multiplied. */
  readonly visits: number;
  /** Rows of the largest table it reads from end to end. */
  readonly largestScan: number;
}

interface Loop {
  readonly from: number;
  readonly to: number;
  readonly size: () => number;
}

/** The elements of a JSON value, as far as anybody knows. */
const VIRTUAL_TABLE_ROWS = 10;
/** `SELECT count(*)` walks pages, not rows. */
const ROWS_PER_COUNTED_PAGE = 20;

/** Instructions inside a loop that never leave out what follows them. */
const STRAIGHT: ReadonlySet<string> = new Set([
  'Column',
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

const LOOP_ENDS: ReadonlySet<string> = new Set(['Next', 'Prev', 'SorterNext', 'VNext']);
const SCAN_STARTS: ReadonlySet<string> = new Set(['Rewind', 'Last']);
const FILLS: ReadonlySet<string> = new Set(['IdxInsert', 'Insert', 'SorterInsert']);

/** The root pages of the tables and indexes a statement reads. */
export function rootPagesOf(program: readonly Instruction[]): number[] {
  return [...new Set(program.filter(isOpenRead).map((instruction) => instruction.p2))];
}

/**
 * Estimates a statement from its instructions. Those are more reliable than EXPLAIN QUERY PLAN, which names aliases
 * instead of tables and does not show which loops are inside which. A recursive query counts as endless.
 */
export function estimateCost(program: readonly Instruction[], rowsOf: (rootPage: number) => number): QueryCost {
  const reading = new ProgramReading(program, rowsOf);
  return { visits: reading.visits(), largestScan: reading.largestScan() };
}

class ProgramReading {
  private readonly tables = new Map<number, number>();
  private readonly virtual = new Set<number>();
  private readonly loops: readonly Loop[];
  private readonly onceBlocks: readonly Instruction[];
  private readonly underway = new Set<string>();

  constructor(
    private readonly program: readonly Instruction[],
    rowsOf: (rootPage: number) => number,
  ) {
    for (const instruction of program) {
      if (isOpenRead(instruction)) this.tables.set(instruction.p1, rowsOf(instruction.p2));
      if (instruction.opcode === 'VOpen') this.virtual.add(instruction.p1);
    }
    this.onceBlocks = program.filter(({ opcode }) => opcode === 'Once');
    this.loops = program.flatMap((instruction) => this.loopEndingAt(instruction));
  }

  visits(): number {
    let sum = 0;
    for (const loop of this.loops) sum += this.timesAt(loop.to);
    for (const { opcode, p1, addr } of this.program) {
      if (opcode === 'Count') sum += this.timesAt(addr) * ((this.tables.get(p1) ?? 0) / ROWS_PER_COUNTED_PAGE);
    }
    return sum;
  }

  largestScan(): number {
    const scanned = this.program.filter(({ opcode }) => SCAN_STARTS.has(opcode));
    return Math.max(0, ...scanned.map(({ p1 }) => this.tables.get(p1) ?? 0));
  }

  private loopEndingAt({ addr, opcode, p1, p2 }: Instruction): Loop[] {
    if (LOOP_ENDS.has(opcode))
      return [{ from: p2, to: addr, size: () => Math.min(this.rowsIn(p1), this.limitOf(p2, addr)) }];
    if (opcode !== 'Goto' || p2 >= addr) return [];
    const target = this.program[p2];
    if (target.opcode === 'Yield') return [{ from: p2, to: addr, size: () => this.rowsYielded(target.p1, p2) }];
    // A recursive query takes rows from its queue and adds to it, until the queue happens to be empty.
    if (target.opcode === 'Rewind') return [{ from: p2, to: addr, size: () => Infinity }];
    return [];
  }

  /** Rounds after which a LIMIT ends a loop that hands out a row in each; no end where rows may be passed over. */
  private limitOf(from: number, to: number): number {
    const body = this.program.slice(from, to);
    const end = body.find(({ opcode }) => opcode === 'DecrJumpZero');
    if (end === undefined || body.some(({ opcode, p2 }) => !STRAIGHT.has(opcode) && p2 <= to)) return Infinity;
    const limit = this.program.find(({ opcode, p2 }) => opcode === 'Integer' && p2 === end.p1);
    return limit?.p1 ?? Infinity;
  }

  /** How often the instruction at this address may run. What stands in a block for once ignores the loops around it. */
  private timesAt(addr: number): number {
    const block = this.onceBlocks.findLast((once) => once.addr < addr && addr < once.p2);
    const outermost = block?.addr ?? -1;
    let times = 1;
    for (const loop of this.loops) {
      if (outermost < loop.from && loop.from <= addr && addr <= loop.to) times *= loop.size();
    }
    return times;
  }

  private rowsIn(cursor: number): number {
    if (this.virtual.has(cursor)) return VIRTUAL_TABLE_ROWS;
    return (
      this.tables.get(cursor) ?? this.sumOf(`cursor ${cursor}`, ({ opcode, p1 }) => FILLS.has(opcode) && p1 === cursor)
    );
  }

  /** Rows a subquery hands out one by one; the address of the consumer's own Yield is left out. */
  private rowsYielded(register: number, consumer: number): number {
    const yields = ({ opcode, p1, addr }: Instruction): boolean =>
      opcode === 'Yield' && p1 === register && addr !== consumer;
    return this.sumOf(`yield ${register}`, yields);
  }

  private sumOf(name: string, matches: (instruction: Instruction) => boolean): number {
    if (this.underway.has(name)) return Infinity;
    this.underway.add(name);
    let sum = 0;
    for (const instruction of this.program) if (matches(instruction)) sum += this.timesAt(instruction.addr);
    this.underway.delete(name);
    return sum;
  }
}

/** Database 0 is the file itself; the others are temporary tables. */
function isOpenRead({ opcode, p3 }: Instruction): boolean {
  return (opcode === 'OpenRead' || opcode === 'ReopenIdx') && p3 === 0;
}
