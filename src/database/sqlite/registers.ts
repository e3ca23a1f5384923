import type { Instruction } from './query-cost.js';

/** Where the value of a register may come from. */
export type RegisterSource =
  | { readonly kind: 'variable'; readonly index: number }
  | { readonly kind: 'text'; readonly bytes: number }
  /** Of a table or index that is stored. */
  | { readonly kind: 'column'; readonly cursor: number; readonly place: number }
  /** Something whose length has nothing to do with that of what it is made of. */
  | { readonly kind: 'unbounded' };

type Step = RegisterSource | { readonly kind: 'register'; readonly register: number };

/** Functions that give more than they are given, and aggregates that give all of it. */
const GROWING =
  /^(replace|printf|format|randomblob|zeroblob|hex|group_concat|string_agg|json_group_\w+|jsonb_group_\w+)\(/;
const INSERTS: ReadonlySet<string> = new Set(['IdxInsert', 'Insert', 'SorterInsert']);

/** What the registers of a compiled statement may hold: whatever any of its instructions puts there. */
export interface Registers {
  sourcesOf(register: number): readonly RegisterSource[];
  /** The places of the bound values among them. */
  variablesIn(register: number): number[];
}

export function registersOf(program: readonly Instruction[]): Registers {
  return new RegisterReading(program);
}

class RegisterReading implements Registers {
  private readonly steps = new Map<number, Step[]>();
  private readonly found = new Map<number, readonly RegisterSource[]>();
  private readonly stored = new Set<number>();
  /** First registers of the records that are put into a temporary table. */
  private readonly records = new Map<number, number[]>();
  private readonly arguments = new Map<number, number>();

  constructor(program: readonly Instruction[]) {
    const made = new Map<number, number>();
    const sorters = new Map<number, number>();
    for (const { opcode, p1, p2, p3 } of program) {
      if ((opcode === 'OpenRead' || opcode === 'ReopenIdx') && p3 === 0) this.stored.add(p1);
      if (opcode === 'MakeRecord') made.set(p3, p1);
      if (opcode === 'SorterData') sorters.set(p2, p1);
      if (opcode === 'VFilter') this.arguments.set(p1, p3 + 2);
      const record = INSERTS.has(opcode) ? made.get(p2) : undefined;
      if (record !== undefined) this.records.set(p1, [...(this.records.get(p1) ?? []), record]);
    }
    for (const { opcode, p1, p2 } of program) {
      const sorter = opcode === 'OpenPseudo' ? sorters.get(p2) : undefined;
      if (sorter !== undefined) this.records.set(p1, this.records.get(sorter) ?? []);
    }
    for (const instruction of program) this.note(instruction);
  }

  sourcesOf(register: number): readonly RegisterSource[] {
    let sources = this.found.get(register);
    if (sources === undefined) {
      sources = this.trace(register);
      this.found.set(register, sources);
    }
    return sources;
  }

  variablesIn(register: number): number[] {
    return this.sourcesOf(register).flatMap((source) => (source.kind === 'variable' ? [source.index] : []));
  }

  private trace(register: number): RegisterSource[] {
    const sources = new Map<string, RegisterSource>();
    const seen = new Set<number>();
    const waiting = [register];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      for (const step of this.steps.get(at) ?? []) {
        if (step.kind === 'register') waiting.push(step.register);
        else sources.set(JSON.stringify(step), step);
      }
    }
    return [...sources.values()];
  }

  private note({ opcode, p1, p2, p3, p4 }: Instruction): void {
    switch (opcode) {
      case 'Variable':
        return this.add(p2, { kind: 'variable', index: p1 });
      case 'String8':
        return this.add(p2, { kind: 'text', bytes: String(p4 ?? '').length });
      case 'Column':
        return this.noteColumn(p1, p2, p3);
      case 'VColumn':
        return this.add(p3, { kind: 'register', register: this.arguments.get(p1) ?? -1 });
      case 'SCopy':
        return this.add(p2, { kind: 'register', register: p1 });
      case 'Copy':
      case 'Move': {
        const count = opcode === 'Copy' ? p3 + 1 : p3;
        for (let index = 0; index < count; index++) this.add(p2 + index, { kind: 'register', register: p1 + index });
        return;
      }
      case 'Concat':
        this.add(p3, { kind: 'register', register: p1 });
        return this.add(p3, { kind: 'register', register: p2 });
      case 'Function':
      case 'PureFunc':
      case 'AggStep':
      case 'AggStep1':
        return this.noteCall(p2, p3, String(p4 ?? ''));
    }
  }

  private noteColumn(cursor: number, place: number, register: number): void {
    if (this.stored.has(cursor)) return this.add(register, { kind: 'column', cursor, place });
    for (const first of this.records.get(cursor) ?? []) {
      this.add(register, { kind: 'register', register: first + place });
    }
  }

  private noteCall(first: number, result: number, name: string): void {
    if (GROWING.test(name)) this.add(result, { kind: 'unbounded' });
    for (let register = first; register < first + argumentCount(name); register++) {
      this.add(result, { kind: 'register', register });
    }
  }

  private add(register: number, step: Step): void {
    const steps = this.steps.get(register);
    if (steps) steps.push(step);
    else this.steps.set(register, [step]);
  }
}

/** As EXPLAIN shows a function: its name, and in parentheses how many arguments it has, or -1 for any number. */
export function argumentCount(call: string): number {
  const count = Number(/\((-?\d+)\)$/.exec(call)?.[1] ?? 1);
  return count < 0 ? 1 : count;
}
