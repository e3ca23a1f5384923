import type { FieldModel } from '../api/collection-model.js';

function range(min: unknown, max: unknown, unit: string): string {
  const from = typeof min === 'number' ? min : undefined;
  const to = typeof max === 'number' ? max : undefined;
  if (from === undefined && to === undefined) return '';
  const words = from === to ? `${from}` : to === undefined ? `min ${from}` : from === undefined ? `max ${to}` : '';
  return `${words || `from ${from} to ${to}`}${unit}`;
}

/** What a number or a text has to be, in words; undefined when anything goes. */
export function valueHint(field: FieldModel): string | undefined {
  const parts =
    field.type === 'number'
      ? [field.onlyInt ? 'a whole number' : '', range(field.min, field.max, '')]
      : [
          // Of a text 0 stands for no bound.
          range(field.min || undefined, field.max || undefined, ' characters'),
          field.pattern ? `matching ${String(field.pattern)}` : '',
        ];
  const text = parts.filter(Boolean).join(', ');
  return text ? `${text[0]!.toUpperCase()}${text.slice(1)}` : undefined;
}
