import type { OperandNode } from './filter-node.js';
import { FilterError } from './filter.error.js';

type CallNode = Extract<OperandNode, { kind: 'call' }>;
type ArgumentKind = OperandNode['kind'];

/** What a function of the language takes (§9.2). How it is computed is the business of the SQL compilers. */
export interface FunctionSignature {
  readonly minArguments: number;
  readonly maxArguments: number;
  /** What may stand at each position; the last entry holds for all positions after it. */
  readonly accepts: readonly (readonly ArgumentKind[])[];
  readonly result: 'number' | 'text';
}

const COORDINATE: readonly ArgumentKind[] = ['number', 'identifier'];

/** The functions by name. Names are case-sensitive. */
export const FUNCTIONS: ReadonlyMap<string, FunctionSignature> = new Map<string, FunctionSignature>([
  ['geoDistance', { minArguments: 4, maxArguments: 4, accepts: [COORDINATE], result: 'number' }],
  [
    'strftime',
    {
      minArguments: 1,
      maxArguments: 10,
      accepts: [['text'], ['text', 'number', 'identifier'], ['text']],
      result: 'text',
    },
  ],
]);

/**
 * The signature of the called function. Throws a FilterError for an unknown name and for arguments it does not take.
 */
export function requireFunction(call: CallNode): FunctionSignature {
  const signature = FUNCTIONS.get(call.name);
  if (!signature) throw new FilterError(`Unknown function ${JSON.stringify(call.name)}`, call.span);
  const { minArguments, maxArguments, accepts } = signature;
  if (call.args.length < minArguments || call.args.length > maxArguments) {
    throw new FilterError(`Wrong number of arguments for ${call.name}`, call.span);
  }
  call.args.forEach((argument, index) => {
    const kinds = accepts[Math.min(index, accepts.length - 1)];
    if (!kinds.includes(argument.kind)) {
      throw new FilterError(`${call.name} does not take this as argument ${index + 1}`, argument.span);
    }
  });
  return signature;
}
