import {
  CALLS,
  FILLS,
  GROUPING,
  INDEX_ENDS,
  LOOKUPS,
  LOOP_ENDS,
  OPENS,
  SCAN_STARTS,
  SEEKS,
  SORTING,
  type Instruction,
  isLike,
  isOpenRead,
  leadsTo,
} from './instructions.js';
import { argumentCount, registersOf, type Registers, type RegisterSource } from './registers.js';

/** How much a statement may have to do at worst. */
export interface QueryCost {
  /** Rows its loops may visit, nested loops multiplied. */
  readonly visits: number;
  /** Rows of the largest table it reads from end to end. */
  readonly largestScan: number;
  /** What it may take, from the bytes it handles as well as from its instructions. Rather too much than too little. */
  readonly microseconds: number;
}

/** Bytes of one column, in all rows and in the row where it is longest. Infinity where nobody has measured. */
export interface ColumnBytes {
  readonly total: number;
  readonly max: number;
  /** No item of a list in this column is shorter. */
  readonly leastItem: number;
  /** The most items of one value, where somebody has counted. */
  readonly mostItems?: number;
}

/** What is known of stored data, by the root pages of tables and indexes. */
export interface StoredData {
  rows(rootPage: number): number;
  /** A column by its place in the table or index. */
  column(rootPage: number, place: number): ColumnBytes;
  /** Rows that have the same values in as many leading columns of an index, at most. */
  largestGroup(rootPage: number, columns: number): number;
}

/** The most that bound values may be, whichever they are. */
export interface ValueLimits {
  readonly bytes: number;
  /** Items of a list. */
  readonly items: number;
  /** How often LIKE may look at a character because of the pattern (see `patternEffort`). */
  readonly effort: number;
}

interface Loop {
  readonly from: number;
  readonly to: number;
  readonly size: () => number;
  /** Of rows of a table or items of a list. */
  readonly cursor?: number;
}

/** Assumed number of elements of a JSON value when it is not known. */
const VIRTUAL_TABLE_ROWS = 10;
/** `SELECT count(*)` reads pages, not rows. */
const ROWS_PER_COUNTED_PAGE = 20;

/** Microseconds, about twice of what was measured; texts to be matched are taken for the worst there are. */
const PER_INSTRUCTION = 0.01;
const PER_ROW = 0.08;
const PER_SEEK = 0.4;
const PER_CALL = 0.08;
const PER_BYTE_READ = 0.0005;
const PER_BYTE_HANDLED = 0.001;
const PER_BYTE_MATCHED = 0.003;

/** Bytes of a value that may stand on the page of its row. The others are on pages that are read one after another. */
const BYTES_ON_PAGE = 1024;

const UNKNOWN_COLUMN: ColumnBytes = { total: 0, max: 0, leastItem: 1 };
const UNKNOWN_LIST = { register: -1, at: -1 };
const NO_LIMITS: ValueLimits = { bytes: 0, items: VIRTUAL_TABLE_ROWS, effort: 1 };

/** The root pages of the tables and indexes a statement reads. */
export function rootPagesOf(program: readonly Instruction[]): number[] {
  return [...new Set(program.filter(isOpenRead).map((instruction) => instruction.p2))];
}

/** Places of the bound values, counted from 1, that are patterns of LIKE. */
export function patternsOf(program: readonly Instruction[]): number[] {
  const registers = registersOf(program);
  const patterns = program.filter(isLike).flatMap(({ p2, addr }) => registers.variablesIn(p2, addr));
  return [...new Set(patterns)];
}

/**
 * Estimates a statement from its instructions. Those are more reliable than EXPLAIN QUERY PLAN, which names aliases
 * instead of tables and does not show which loops are inside which. A recursive query counts as endless.
 */
export function estimateCost(
  program: readonly Instruction[],
  data: StoredData | ((rootPage: number) => number),
  values: ValueLimits = NO_LIMITS,
): QueryCost {
  const known = typeof data === 'function' ? onlyRows(data) : data;
  const reading = new ProgramReading(program, known, values);
  return { visits: reading.visits(), largestScan: reading.largestScan(), microseconds: reading.microseconds() };
}

function onlyRows(rows: (rootPage: number) => number): StoredData {
  return { rows, column: () => UNKNOWN_COLUMN, largestGroup: () => Infinity };
}

class ProgramReading {
  /** Root pages by the cursors on them. */
  private readonly roots = new Map<number, number>();
  /** By the cursors on lists, the register each list is taken from, and where. */
  private readonly lists = new Map<number, { readonly register: number; readonly at: number }>();
  private readonly registers: Registers;
  private readonly loops: readonly Loop[];
  private readonly onceBlocks: readonly Instruction[];
  private readonly underway = new Set<string>();
  /** The cursors on tables whose rows are found by way of a cursor on an index. */
  private readonly drivers = new Map<number, number>();
  private readonly sizes = new Map<Loop, number>();
  /** The loops around each address that was asked for: a statement may have hundreds. */
  private readonly around = new Map<number, readonly Loop[]>();
  private readonly yields = new Map<number, Instruction[]>();
  private readonly fills = new Map<number, Instruction[]>();
  private readonly opens = new Map<number, Instruction[]>();
  private readonly seeks = new Map<number, Instruction[]>();
  /** By the address where a column is read, the last column of the same cursor that was read before it, or -1. */
  private readonly passed = new Map<number, number>();

  constructor(
    private readonly program: readonly Instruction[],
    private readonly data: StoredData,
    private readonly values: ValueLimits,
  ) {
    this.registers = registersOf(program);
    const furthest = new Map<number, number>();
    for (const instruction of program) {
      const { opcode, p1, p2, p3 } = instruction;
      if (isOpenRead(instruction)) this.roots.set(p1, p2);
      if (opcode === 'VOpen') this.lists.set(p1, UNKNOWN_LIST);
      // Its argument stands behind the number of the plan and that of the arguments.
      if (opcode === 'VFilter') this.lists.set(p1, { register: p3 + 2, at: instruction.addr });
      if (opcode === 'DeferredSeek') this.drivers.set(p3, p1);
      if (opcode === 'Column') {
        const last = furthest.get(p1) ?? -1;
        this.passed.set(instruction.addr, last);
        furthest.set(p1, Math.max(last, p2));
      }
      if (opcode === 'Yield') addTo(this.yields, p1, instruction);
      if (FILLS.has(opcode)) addTo(this.fills, p1, instruction);
      if (OPENS.has(opcode)) addTo(this.opens, p1, instruction);
      if (SEEKS.has(opcode)) addTo(this.seeks, p1, instruction);
    }
    this.onceBlocks = program.filter(({ opcode }) => opcode === 'Once');
    this.loops = program.flatMap((instruction) => this.loopEndingAt(instruction));
  }

  visits(): number {
    let sum = 0;
    for (const loop of this.loops) sum += this.timesAt(loop.to);
    for (const { opcode, p1, addr } of this.program) {
      if (opcode === 'Count') sum += this.timesAt(addr) * (this.tableRows(p1) / ROWS_PER_COUNTED_PAGE);
    }
    return sum;
  }

  largestScan(): number {
    const scanned = this.program.filter(({ opcode }) => SCAN_STARTS.has(opcode));
    return Math.max(0, ...scanned.map(({ p1 }) => this.tableRows(p1)));
  }

  microseconds(): number {
    const limits = this.timesOfResults();
    let sum = 0;
    for (const instruction of this.program) {
      const { addr } = instruction;
      const times = Math.min(this.timesAt(addr), limits.get(addr) ?? Infinity);
      // Infinite effort times zero runs would be NaN.
      if (times > 0) sum += times * this.effortOf(instruction);
    }
    return sum;
  }

  private effortOf(instruction: Instruction): number {
    const { opcode, p1, p2, p4, addr } = instruction;
    if (LOOP_ENDS.has(opcode)) return PER_ROW;
    if (SEEKS.has(opcode) || LOOKUPS.has(opcode)) return PER_SEEK;
    if (opcode === 'Count') return (this.tableRows(p1) / ROWS_PER_COUNTED_PAGE) * PER_ROW;
    if (opcode === 'Column') return PER_INSTRUCTION + this.bytesUpTo(p1, p2, addr) * PER_BYTE_READ;
    if (opcode === 'MakeRecord') return PER_CALL + this.bytesInAll(p1, p2, addr) * PER_BYTE_READ;
    if (opcode === 'Cast') return PER_CALL + this.bytesIn(p1, addr) * PER_BYTE_HANDLED;
    if (opcode === 'Concat') return PER_CALL + (this.bytesIn(p1, addr) + this.bytesIn(p2, addr)) * PER_BYTE_HANDLED;
    if (isLike(instruction)) {
      const effort = this.registers.variablesIn(p2, addr).length > 0 ? this.values.effort : this.bytesIn(p2, addr);
      return PER_CALL + this.bytesIn(p2 + 1, addr) * PER_BYTE_MATCHED * (2 + effort);
    }
    // Of a column these look at its head only.
    if (!CALLS.has(opcode) || /^(octet_length|typeof)\(/.test(String(p4 ?? ''))) return PER_INSTRUCTION;
    return PER_CALL + this.bytesInAll(p2, argumentCount(String(p4 ?? '')), addr) * PER_BYTE_HANDLED;
  }

  /** Where rows go out behind the last condition, they do so at most as often as a LIMIT allows. */
  private timesOfResults(): ReadonlyMap<number, number> {
    const limits = new Map<number, number>();
    this.program.forEach(({ opcode }, index) => {
      const limit = opcode === 'ResultRow' ? this.limitBehind(index)?.p1 : undefined;
      if (limit === undefined) return;
      for (let at = index; at >= 0 && leadsTo(index, this.program[at]!); at--) limits.set(at, limit);
    });
    return limits;
  }

  /** The instruction that sets the LIMIT which counts what this one has handed out. */
  private limitBehind(addr: number): Instruction | undefined {
    const end = this.program[addr + 1];
    return end?.opcode === 'DecrJumpZero' ? this.limitIn(end.p1) : undefined;
  }

  /** The same of a sorter, of which the last row makes way for a better one when there are as many as a LIMIT allows. */
  private limitBefore(addr: number): Instruction | undefined {
    const { p1: sorter } = this.program[addr]!;
    const removed = this.program.slice(0, addr).findLast(({ opcode, p1 }) => opcode === 'Delete' && p1 === sorter);
    if (!removed || !this.program.slice(removed.addr + 1, addr).every((each) => leadsTo(addr, each))) return undefined;
    const counted = this.program[removed.addr - 3];
    const isFilledUp = counted?.opcode === 'IfNotZero' && counted.p2 === removed.addr + 1;
    return isFilledUp ? this.limitIn(counted.p1) : undefined;
  }

  /** The instruction that sets the LIMIT in a register; none for a negative one, which is no limit. */
  private limitIn(register: number): Instruction | undefined {
    return this.program.find(({ opcode, p1, p2 }) => opcode === 'Integer' && p2 === register && p1 >= 0);
  }

  private loopEndingAt({ addr, opcode, p1, p2 }: Instruction): Loop[] {
    if (LOOP_ENDS.has(opcode)) {
      const size = () =>
        Math.min(this.rowsIn(p1, p2, addr), this.limitOf(p2, addr), this.rowsSortedInGroups(p1, p2, addr));
      return [{ from: p2, to: addr, size, cursor: p1 }];
    }
    if (opcode !== 'Goto' || p2 >= addr) return [];
    const target = this.program[p2]!;
    if (target.opcode === 'Yield') return [{ from: p2, to: addr, size: () => this.rowsYielded(target.p1, p2) }];
    // A recursive query takes rows from its queue and adds to it, until the queue happens to be empty.
    if (target.opcode === 'Rewind') return [{ from: p2, to: addr, size: () => Infinity }];
    return [];
  }

  private sizeOf(loop: Loop): number {
    let size = this.sizes.get(loop);
    if (size === undefined) {
      size = loop.size();
      // What was found while a loop was looked at from inside itself holds only there.
      if (this.underway.size === 0) this.sizes.set(loop, size);
    }
    return size;
  }

  /** Rounds after which a LIMIT ends a loop that hands out a row in each; no end where rows may be passed over. */
  private limitOf(from: number, to: number): number {
    const body = this.program.slice(from, to);
    const end = body.find(({ opcode }) => opcode === 'DecrJumpZero');
    const isEnd = ({ p2 }: Instruction) => p2 > to;
    // Where a subquery hands its rows over one by one, its consumer decides when it goes on.
    const isHandedOver = ({ opcode, p2 }: Instruction) => opcode === 'Yield' && p2 === 0;
    const isStraight = (each: Instruction) => isHandedOver(each) || isEnd(each);
    if (end === undefined || !body.every((each) => isStraight(each) || leadsTo(end.addr - 1, each))) return Infinity;
    return this.limitIn(end.p1)?.p1 ?? Infinity;
  }

  /**
   * Rounds of a loop over an index whose rows are sorted further only among those that are equal in its first columns,
   * and handed out up to a LIMIT when such a group has ended: no more than that many and one group. No end where rows
   * may be passed over.
   */
  private rowsSortedInGroups(cursor: number, from: number, to: number): number {
    const root = this.roots.get(cursor);
    const body = this.program.slice(from, to);
    const compared = body.find(({ opcode }) => opcode === 'Compare');
    const counted = body.find(({ opcode }) => opcode === 'IfNotZero');
    const insert = body.findLast(({ opcode }) => FILLS.has(opcode));
    if (root === undefined || !compared || !counted || !insert) return Infinity;
    const limit = this.limitIn(counted.p1)?.p1 ?? Infinity;
    // Where a group begins after that many rows.
    const ends = body.some(
      ({ opcode, p1, p2, addr }) => opcode === 'IfNot' && p1 === counted.p1 && p2 > to && addr > compared.addr,
    );
    const isLead = Array.from({ length: compared.p3 }, (_, place) => place).every((place) =>
      body.some((each) => {
        const { opcode, p1, p2, p3 } = each;
        return opcode === 'Column' && p1 === cursor && p2 === place && p3 === compared.p2 + place;
      }),
    );
    const isDirect = body.every((each) => {
      const { opcode, addr, p1, p2 } = each;
      const isOfSorter = p1 === insert.p1 && SORTING.has(opcode);
      return addr >= insert.addr || GROUPING.has(opcode) || isOfSorter || p2 > to || leadsTo(insert.addr, each);
    });
    if (!ends || !isLead || !isDirect) return Infinity;
    return limit + this.data.largestGroup(root, compared.p3);
  }

  /**
   * How often the instruction at this address may run; `since` another one ran, if that is given. What stands in a
   * block for once ignores the loops around it.
   */
  private timesAt(addr: number, since?: number): number {
    const block = this.onceBlocks.findLast((once) => once.addr < addr && addr < once.p2);
    const outermost = block?.addr ?? -1;
    let times = 1;
    for (const loop of this.loopsAround(addr)) {
      if (outermost >= loop.from) continue;
      if (since !== undefined && loop.from <= since && since <= loop.to) continue;
      times *= this.sizeOf(loop);
    }
    return times;
  }

  private loopsAround(addr: number): readonly Loop[] {
    let loops = this.around.get(addr);
    if (!loops) this.around.set(addr, (loops = this.loops.filter(({ from, to }) => from <= addr && addr <= to)));
    return loops;
  }

  private tableRows(cursor: number): number {
    const root = this.roots.get(cursor);
    return root === undefined ? 0 : this.data.rows(root);
  }

  private rowsIn(cursor: number, from: number, to: number): number {
    const list = this.lists.get(cursor);
    if (list !== undefined) return this.itemsIn(list, from);
    const root = this.roots.get(cursor);
    if (root !== undefined) return Math.min(this.data.rows(root), this.groupOf(cursor, root, from, to));
    const opened = this.opens.get(cursor)?.findLast(({ addr }) => addr < to);
    return this.sumOf(`cursor ${cursor}`, this.fills.get(cursor) ?? [], opened?.addr);
  }

  /** Rows between two places of an index that begin with the same values. */
  private groupOf(cursor: number, root: number, from: number, to: number): number {
    const end = this.program.slice(from, to).find(({ opcode, p1 }) => INDEX_ENDS.has(opcode) && p1 === cursor);
    const seek = this.seeks.get(cursor)?.findLast(({ addr }) => addr < to);
    if (!end || !seek || end.p3 !== seek.p3) return Infinity;
    return this.data.largestGroup(root, Math.min(Number(end.p4), Number(seek.p4)));
  }

  private itemsIn(list: { readonly register: number; readonly at: number }, addr: number): number {
    const sources = list === UNKNOWN_LIST ? [] : this.registers.sourcesOf(list.register, list.at);
    let items = list === UNKNOWN_LIST ? VIRTUAL_TABLE_ROWS : 0;
    for (const source of sources) {
      if (source.kind === 'unbounded') return Infinity;
      if (source.kind === 'variable') items = Math.max(items, this.values.items);
      else if (source.kind === 'column') {
        const { leastItem, mostItems = Infinity } = this.columnOf(source.cursor, source.place);
        // Lists of one row may all be long: only of the outermost is the average enough.
        const isNested = this.loops.some(
          ({ cursor, from, to }) => this.lists.has(cursor ?? -1) && from < addr && addr < to,
        );
        const bytes = this.columnBytes(source.cursor, source.place, addr, isNested);
        items = Math.max(items, Math.min(bytes / leastItem + 1, mostItems));
      } else items = Math.max(items, VIRTUAL_TABLE_ROWS);
    }
    return items;
  }

  /** Rows a subquery hands out one by one; the address of the consumer's own Yield is left out. */
  private rowsYielded(register: number, consumer: number): number {
    const others = this.yields.get(register)?.filter(({ addr }) => addr !== consumer) ?? [];
    return this.sumOf(`yield ${register}`, others, consumer - 1);
  }

  /** How often these run together. */
  private sumOf(name: string, instructions: readonly Instruction[], since?: number): number {
    if (this.underway.has(name)) return Infinity;
    this.underway.add(name);
    let sum = 0;
    for (const { addr } of instructions) {
      const limit = this.limitBehind(addr) ?? this.limitBefore(addr);
      const most = limit ? limit.p1 * this.timesAt(limit.addr, since) : Infinity;
      sum += Math.min(this.timesAt(addr, since), most);
    }
    this.underway.delete(name);
    return sum;
  }

  private bytesIn(register: number, addr: number): number {
    let bytes = 0;
    for (const source of this.registers.sourcesOf(register, addr)) bytes = Math.max(bytes, this.bytesOf(source, addr));
    return bytes;
  }

  private bytesInAll(first: number, count: number, addr: number): number {
    let bytes = 0;
    for (let register = first; register < first + count; register++) bytes += this.bytesIn(register, addr);
    return bytes;
  }

  private bytesOf(source: RegisterSource, addr: number): number {
    switch (source.kind) {
      case 'variable':
        return this.values.bytes;
      case 'text':
        return source.bytes;
      case 'column':
        return this.columnBytes(source.cursor, source.place, addr);
      case 'unbounded':
        return Infinity;
    }
  }

  /**
   * The bytes of a column, and those of long values before it, which are passed on the way there. A column that was
   * read before has been on that way already.
   */
  private bytesUpTo(cursor: number, place: number, addr: number): number {
    let bytes = this.readBytes(cursor, place, addr);
    for (let before = this.passed.get(addr)! + 1; before < place; before++) {
      bytes += Math.max(0, this.readBytes(cursor, before, addr) - BYTES_ON_PAGE);
    }
    return bytes;
  }

  /** Unmeasured columns are taken for short here: what is done with them counts, and their rows are counted anyway. */
  private readBytes(cursor: number, place: number, addr: number): number {
    const bytes = this.columnBytes(cursor, place, addr);
    return Number.isFinite(bytes) ? bytes : 0;
  }

  private columnOf(cursor: number, place: number): ColumnBytes {
    const root = this.roots.get(cursor);
    return root === undefined ? UNKNOWN_COLUMN : this.data.column(root, place);
  }

  /** So that times the number of runs nothing is too little: a loop over a table meets each row once. */
  private columnBytes(cursor: number, place: number, addr: number, worst = false): number {
    const { total, max } = this.columnOf(cursor, place);
    const driver = this.drivers.get(cursor) ?? cursor;
    const loop = this.loopsAround(addr).find((each) => each.cursor === driver);
    if (!loop || worst) return max;
    const size = this.sizeOf(loop);
    return size > 0 ? Math.min(max, total / size) : 0;
  }
}

function addTo(byNumber: Map<number, Instruction[]>, number: number, instruction: Instruction): void {
  const some = byNumber.get(number);
  if (some) some.push(instruction);
  else byNumber.set(number, [instruction]);
}
