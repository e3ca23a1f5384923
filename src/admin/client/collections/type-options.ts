import { MIME_PRESETS, MIME_TYPES, type Preset } from './mime-types.js';

/** One option of a field, and how it is asked for. */
export interface FieldOption {
  readonly name: string;
  /** An absent `decimal` is null, `number` and `bytes` are 0 then. `multiplicity` and `collection` label themselves. */
  readonly kind: 'number' | 'bytes' | 'decimal' | 'text' | 'date' | 'switch' | 'list' | 'multiplicity' | 'collection';
  readonly label: string;
  readonly about?: string;
  readonly placeholder?: string;
  readonly suggestions?: readonly string[];
  /** Values that go together, added with one click. */
  readonly presets?: readonly Preset[];
  /** What may be written, and what it means. */
  readonly forms?: readonly (readonly [form: string, meaning: string])[];
  /** A system field has it set for good. */
  readonly fixed?: boolean;
}

const DOMAINS: readonly FieldOption[] = [
  {
    name: 'onlyDomains',
    kind: 'list',
    label: 'Only these domains',
    about: 'Empty: all. Not together with the other list.',
    placeholder: 'example.com',
  },
  { name: 'exceptDomains', kind: 'list', label: 'Not these domains', placeholder: 'example.com' },
];

const MULTIPLICITY: FieldOption = { name: 'maxSelect', kind: 'multiplicity', label: 'How many' };

/** The options of each field type (chapter 01), in the order in which they are shown. */
export const TYPE_OPTIONS: Readonly<Record<string, readonly FieldOption[]>> = {
  text: [
    { name: 'min', kind: 'number', label: 'Min length', about: 'Characters; empty: no limit' },
    { name: 'max', kind: 'number', label: 'Max length', about: 'Characters; empty: 5000' },
    {
      name: 'pattern',
      kind: 'text',
      label: 'Pattern',
      about: 'Regular expression (RE2) the value must match',
      placeholder: '^[a-z]+$',
    },
    {
      name: 'autogeneratePattern',
      kind: 'text',
      label: 'Generate',
      about: 'Pattern to make a value from when it is left empty',
      placeholder: '[a-z0-9]{10}',
    },
  ],
  editor: [
    { name: 'maxSize', kind: 'bytes', label: 'Max size', about: 'Bytes; empty: 5 MiB' },
    {
      name: 'convertURLs',
      kind: 'switch',
      label: 'Make addresses relative',
      about: 'Links and media that point to this server are stored without its domain.',
    },
  ],
  number: [
    { name: 'min', kind: 'decimal', label: 'Min' },
    { name: 'max', kind: 'decimal', label: 'Max' },
    { name: 'onlyInt', kind: 'switch', label: 'Whole numbers only' },
  ],
  email: DOMAINS,
  url: DOMAINS,
  date: [
    { name: 'min', kind: 'date', label: 'Earliest', about: 'UTC; empty: no limit', placeholder: '2026-01-01 10:00' },
    { name: 'max', kind: 'date', label: 'Latest', about: 'UTC; empty: no limit', placeholder: '2027-01-01 10:00' },
  ],
  autodate: [
    { name: 'onCreate', kind: 'switch', label: 'Set on create', fixed: true },
    { name: 'onUpdate', kind: 'switch', label: 'Set on update', fixed: true },
  ],
  select: [
    {
      name: 'values',
      kind: 'list',
      label: 'Values',
      about: 'Taking one away does not change stored records.',
      placeholder: 'draft, published',
    },
    MULTIPLICITY,
  ],
  file: [
    MULTIPLICITY,
    { name: 'maxSize', kind: 'bytes', label: 'Max file size', about: 'Bytes; empty: 5 MiB' },
    {
      name: 'mimeTypes',
      kind: 'list',
      label: 'Allowed types',
      about: 'By content, not by name. Empty: all.',
      placeholder: 'image/png',
      suggestions: MIME_TYPES,
      presets: MIME_PRESETS,
    },
    {
      name: 'thumbs',
      kind: 'list',
      label: 'Thumbnail sizes',
      about: 'Made when they are asked for. Width x height in pixels.',
      placeholder: '100x100, 300x0',
      forms: [
        ['100x100', 'cut to this size around the centre'],
        ['100x100t', 'cut from the top'],
        ['100x100b', 'cut from the bottom'],
        ['100x100f', 'fits into it, nothing is cut'],
        ['100x0', 'this width, in proportion'],
        ['0x100', 'this height, in proportion'],
      ],
    },
    {
      name: 'protected',
      kind: 'switch',
      label: 'Protected',
      about: 'Every download needs a short-lived file token besides the view rule.',
    },
  ],
  relation: [
    { name: 'collectionId', kind: 'collection', label: 'Collection' },
    MULTIPLICITY,
    {
      name: 'cascadeDelete',
      kind: 'switch',
      label: 'Cascade delete',
      about: 'Deleting the related record deletes this one too. Otherwise it is only taken out of the field.',
    },
  ],
  json: [{ name: 'maxSize', kind: 'bytes', label: 'Max size', about: 'Bytes; empty: 1 MiB' }],
  password: [
    { name: 'min', kind: 'number', label: 'Min length', about: 'Characters' },
    { name: 'max', kind: 'number', label: 'Max length', about: 'Characters, max 71' },
    { name: 'pattern', kind: 'text', label: 'Pattern' },
    { name: 'cost', kind: 'number', label: 'bcrypt cost', about: '4 to 31; empty: 10' },
  ],
};

/** How many values a field with several holds at least. */
export const MIN_SELECT: FieldOption = {
  name: 'minSelect',
  kind: 'number',
  label: 'Min values',
  about: '0: none is enough',
};

/** How many values a field with several holds at most. */
export const MAX_SELECT: FieldOption = { name: 'maxSelect', kind: 'number', label: 'Max values' };
