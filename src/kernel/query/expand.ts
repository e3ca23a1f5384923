const MAX_LEVELS = 6;

/** One step of the relations to expand, with the steps below it. */
export interface ExpandStep {
  /**
   * A relation field, or a back-relation `<collection>_via_<field>`, or `<collection>(<field>)` as older clients say.
   */
  readonly name: string;
  readonly steps: readonly ExpandStep[];
}

/** The paths of an `expand` parameter as one merged tree (EXP-1). Never throws: what cannot be followed is ignored. */
export function parseExpand(text: string): readonly ExpandStep[] {
  const root = new StepBuilder('');
  for (const path of text.replace(/\s/g, '').split(',')) {
    const names = pathNames(path);
    if (names.includes('')) continue;
    let step = root;
    for (const name of names) step = step.below(name);
  }
  return root.toStep().steps;
}

function pathNames(path: string): readonly string[] {
  const names = path.split('.');
  const first = names.findIndex((name) => name !== '');
  const last = names.findLastIndex((name) => name !== '');
  return first === -1 ? [] : names.slice(first, Math.min(last + 1, first + MAX_LEVELS));
}

class StepBuilder {
  private readonly children = new Map<string, StepBuilder>();

  constructor(private readonly name: string) {}

  below(name: string): StepBuilder {
    let child = this.children.get(name);
    if (!child) this.children.set(name, (child = new StepBuilder(name)));
    return child;
  }

  toStep(): ExpandStep {
    return { name: this.name, steps: [...this.children.values()].map((child) => child.toStep()) };
  }
}
