import type { RuleTest } from '../api/models.js';

type Judged = RuleTest['records'][number];

/** What a test says about one record, in words. */
export function verdictOf({ passes, parts }: Judged, join: RuleTest['join']): string {
  if (passes) return 'Passes';
  if (join === 'or') return parts.some(Boolean) ? 'Refused, whatever its parts say' : 'Refused: no part passes';
  const refusing = parts.flatMap((isPassed, index) => (isPassed ? [] : [index + 1]));
  if (!join) return 'Refused';
  // What is said about one of several related records has to be true of the same one in the whole rule.
  if (!refusing.length) return 'Refused: each part passes alone, but not together';
  return `Refused by ${refusing.length === 1 ? 'part' : 'parts'} ${listed(refusing)}`;
}

function listed(numbers: readonly number[]): string {
  return numbers.length < 2 ? numbers.join('') : `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`;
}

/** How many records pass, in words. */
export function passingText(records: readonly Judged[]): string {
  const passing = records.filter(({ passes }) => passes).length;
  return `${passing.toLocaleString('en')} of ${records.length.toLocaleString('en')} pass`;
}
