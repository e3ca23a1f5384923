import type { Instruction } from './instructions.js';

/** Where the value of a register may come from. */
export type RegisterSource =
  | { readonly kind: 'variable'; readonly index: number }
  | { readonly kind: 'text'; readonly bytes: number }
  /** Of a table or index that is stored. */
  | { readonly kind: 'column'; readonly cursor: number; readonly place: number }
  /** A value whose length does not depend on the values it is made of. */
  | { readonly kind: 'unbounded' };

type Step = RegisterSource | { readonly kind: 'register'; readonly register: number; readonly at: number };

/** Functions whose result may be longer than their arguments, and aggregates that collect all of them. */
const GROWING =
  /^(replace|printf|format|randomblob|zeroblob|hex|group_concat|string_agg|json_group_\w+|jsonb_group_\w+)\(/;
/** Stands for an unknown address: the register may hold anything that is ever put into it. */
const ANYWHERE = -1;
const NOTHING: readonly Step[] = [];
const INSERTS: ReadonlySet<string> = new Set(['IdxInsert', 'Insert', 'SorterInsert']);

/** Their second number is no address. */
const NO_JUMPS: ReadonlySet<string> = new Set([
  'Column',
  'VColumn',
  'Function',
  'PureFunc',
  'AggStep',
  'AggStep1',
  'AggFinal',
  'Copy',
  'SCopy',
  'Move',
  'Integer',
  'Int64',
  'Real',
  'Null',
  'String8',
  'Variable',
  'Rowid',
  'IdxRowid',
  'MakeRecord',
  'Affinity',
  'Cast',
  'Concat',
  'OpenRead',
  'ResultRow',
  'DeferredSeek',
]);

/** What comes behind them may be reached from anywhere. */
const LEAVE: ReadonlySet<string> = new Set([
  'Yield',
  'Gosub',
  'InitCoroutine',
  'BeginSubrtn',
  'Return',
  'EndCoroutine',
]);

/**
 * What the registers of a compiled statement may hold where an instruction reads them: what was put there right before,
 * where nothing jumps in between, otherwise whatever any instruction puts there.
 */
export interface Registers {
  sourcesOf(register: number, at: number): readonly RegisterSource[];
  /** The places of the bound values among them. */
  variablesIn(register: number, at: number): number[];
}

export function registersOf(program: readonly Instruction[]): Registers {
  return new RegisterReading(program);
}

class RegisterReading implements Registers {
  private readonly steps = new Map<number, Step[]>();
  /** The steps of each instruction that fills a register, by that and its address, in their order. */
  private readonly fillings = new Map<number, { readonly at: number; readonly steps: Step[] }[]>();
  private readonly found = new Map<string, readonly RegisterSource[]>();
  /** For each address that of the last one before it, or it itself, to which something may jump. */
  private readonly blocks: readonly number[];
  private readonly stored = new Set<number>();
  /** First registers of the records that are put into a temporary table. */
  private readonly records = new Map<number, number[]>();
  private readonly arguments = new Map<number, { readonly register: number; readonly at: number }>();
  /** The instruction that is looked at. */
  private at = 0;

  constructor(program: readonly Instruction[]) {
    this.blocks = blocksOf(program);
    const made = new Map<number, number>();
    const sorters = new Map<number, number>();
    for (const { addr, opcode, p1, p2, p3 } of program) {
      if ((opcode === 'OpenRead' || opcode === 'ReopenIdx') && p3 === 0) this.stored.add(p1);
      if (opcode === 'MakeRecord') made.set(p3, p1);
      if (opcode === 'SorterData') sorters.set(p2, p1);
      if (opcode === 'VFilter') this.arguments.set(p1, { register: p3 + 2, at: addr });
      const record = INSERTS.has(opcode) ? made.get(p2) : undefined;
      if (record !== undefined) this.records.set(p1, [...(this.records.get(p1) ?? []), record]);
    }
    for (const { opcode, p1, p2 } of program) {
      const sorter = opcode === 'OpenPseudo' ? sorters.get(p2) : undefined;
      if (sorter !== undefined) this.records.set(p1, this.records.get(sorter) ?? []);
    }
    for (const instruction of program) this.note(instruction);
  }

  sourcesOf(register: number, at: number): readonly RegisterSource[] {
    const key = `${register} ${at}`;
    let sources = this.found.get(key);
    if (sources === undefined) {
      sources = this.trace(register, at);
      this.found.set(key, sources);
    }
    return sources;
  }

  variablesIn(register: number, at: number): number[] {
    return this.sourcesOf(register, at).flatMap((source) => (source.kind === 'variable' ? [source.index] : []));
  }

  private trace(register: number, at: number): RegisterSource[] {
    const sources = new Map<string, RegisterSource>();
    const seen = new Set<readonly Step[]>();
    const waiting = [this.stepsTo(register, at)];
    for (let steps = waiting.pop(); steps !== undefined; steps = waiting.pop()) {
      if (seen.has(steps)) continue;
      seen.add(steps);
      for (const step of steps) {
        if (step.kind === 'register') waiting.push(this.stepsTo(step.register, step.at));
        else sources.set(JSON.stringify(step), step);
      }
    }
    return [...sources.values()];
  }

  /** How what is in the register at this address may have come there. */
  private stepsTo(register: number, address: number): readonly Step[] {
    const before = this.fillings.get(register)?.findLast(({ at }) => at < address);
    const isNear = before && this.blocks[before.at] === this.blocks[address];
    return (isNear ? before.steps : this.steps.get(register)) ?? NOTHING;
  }

  private note({ addr, opcode, p1, p2, p3, p4 }: Instruction): void {
    this.at = addr;
    switch (opcode) {
      case 'Variable':
        return this.add(p2, { kind: 'variable', index: p1 });
      case 'String8':
        return this.add(p2, { kind: 'text', bytes: String(p4 ?? '').length });
      case 'Column':
        return this.noteColumn(p1, p2, p3);
      case 'VColumn':
        return this.addAll(p3, [{ kind: 'register', ...(this.arguments.get(p1) ?? { register: p3, at: ANYWHERE }) }]);
      case 'SCopy':
        return this.addFrom(p2, [p1]);
      case 'Copy':
      case 'Move': {
        const count = opcode === 'Copy' ? p3 + 1 : p3;
        for (let index = 0; index < count; index++) this.addFrom(p2 + index, [p1 + index]);
        return;
      }
      case 'Concat':
        return this.addFrom(p3, [p1, p2]);
      case 'Function':
      case 'PureFunc':
      case 'AggStep':
      case 'AggStep1':
        return this.noteCall(p2, p3, String(p4 ?? ''));
    }
  }

  private noteColumn(cursor: number, place: number, register: number): void {
    if (this.stored.has(cursor)) return this.add(register, { kind: 'column', cursor, place });
    // Of a record that nobody saw being made it is what else is ever in the register.
    const firsts = this.records.get(cursor)?.map((first) => first + place) ?? [register];
    this.addAll(
      register,
      firsts.map((from) => ({ kind: 'register', register: from, at: ANYWHERE })),
    );
  }

  private noteCall(first: number, result: number, name: string): void {
    const count = argumentCount(name);
    const args = Array.from({ length: count }, (_, index) => first + index);
    this.addFrom(result, args, GROWING.test(name) ? [{ kind: 'unbounded' }] : []);
  }

  private add(register: number, step: Step): void {
    this.addAll(register, [step]);
  }

  /** The register is filled with what is made of others, as they are at this instruction. */
  private addFrom(register: number, others: readonly number[], besides: readonly Step[] = []): void {
    const { at } = this;
    this.addAll(register, [...besides, ...others.map((other): Step => ({ kind: 'register', register: other, at }))]);
  }

  private addAll(register: number, steps: Step[]): void {
    const known = this.steps.get(register);
    if (known) known.push(...steps);
    else this.steps.set(register, [...steps]);
    const fillings = this.fillings.get(register);
    const filling = { at: this.at, steps };
    if (fillings) fillings.push(filling);
    else this.fillings.set(register, [filling]);
  }
}

function blocksOf(program: readonly Instruction[]): number[] {
  const targets = new Set<number>();
  for (const { addr, opcode, p1, p2, p3 } of program) {
    if (LEAVE.has(opcode)) targets.add(addr + 1);
    if (!NO_JUMPS.has(opcode)) targets.add(p2);
    if (opcode === 'Jump' || opcode === 'InitCoroutine') targets.add(p1).add(p3);
  }
  let block = 0;
  return program.map(({ addr }) => (block = targets.has(addr) ? addr : block));
}

/** As EXPLAIN shows a function: its name, and in parentheses how many arguments it has, or -1 for any number. */
export function argumentCount(call: string): number {
  const count = Number(/\((-?\d+)\)$/.exec(call)?.[1] ?? 1);
  return count < 0 ? 1 : count;
}
