import '../design/mantine-more-styles.js';
import { ActionIcon, Button, NumberInput, SegmentedControl, Select, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { Dialog } from '../design/dialog.js';
import { MomentInput } from '../design/moment-input.js';
import { useCollection } from '../api/queries.js';
import { RecordPicker } from '../fields/record-picker.js';
import { ErrorNote } from '../login/error-note.js';
import {
  conditionOn,
  operatorLabel,
  operatorsFor,
  readFilter,
  rewritten,
  writeFilter,
  type Condition,
  type FilterGroup,
  type FilterTerm,
} from './filter-model.js';
import { searchedFields, toFilter } from './search-text.js';
import classes from './filters.module.css';

interface FilterBuilderDialogProps {
  readonly collection: CollectionModel;
  /** What stands in the search box: words, or a filter. */
  readonly search: string;
  readonly onClose: () => void;
  readonly onSearch: (search: string) => void;
}

const EMPTY: FilterGroup = { kind: 'group', join: 'and', terms: [] };

/** What the text says, or why it says nothing. */
function read(search: string, collection: CollectionModel): { group: FilterGroup; error?: string } {
  try {
    return { group: readFilter(toFilter(search, collection), searchedFields(collection)) };
  } catch (error) {
    return { group: EMPTY, error: (error as Error).message };
  }
}

interface ValueInputProps {
  readonly condition: Condition;
  readonly field: FieldModel | undefined;
  readonly onChange: (next: Condition) => void;
}

function RelationValue({ condition, field, onChange }: ValueInputProps) {
  const target = useCollection(field?.collectionId as string);
  const [choosing, setChoosing] = useState(false);
  const set = (text: string) => onChange({ ...condition, value: { kind: 'text', text } });
  return (
    <>
      <TextInput
        size="xs"
        aria-label={`Value of ${condition.field}`}
        classNames={{ input: 'mono' }}
        placeholder="Empty"
        value={condition.value.text}
        onChange={(event) => set(event.currentTarget.value)}
        rightSectionWidth={64}
        rightSection={
          target ? (
            <Button size="compact-xs" variant="subtle" onClick={() => setChoosing(true)}>
              Choose
            </Button>
          ) : null
        }
      />
      {choosing && target ? (
        <RecordPicker
          collection={target}
          max={1}
          selected={condition.value.text ? [condition.value.text] : []}
          onClose={() => setChoosing(false)}
          onPick={(ids) => {
            setChoosing(false);
            set(ids[0] ?? '');
          }}
        />
      ) : null}
    </>
  );
}

/** The input that fits the field; a name or a macro is shown as it is written. */
function ValueInput(props: ValueInputProps) {
  const { condition, field, onChange } = props;
  const { kind, text } = condition.value;
  const label = `Value of ${condition.field}`;
  const set = (next: string, as: Condition['value']['kind'] = 'text') =>
    onChange({ ...condition, value: { kind: as, text: next } });
  if (field?.type === 'bool' && (text === 'true' || text === 'false')) {
    return (
      <Select
        size="xs"
        aria-label={label}
        allowDeselect={false}
        data={[
          { value: 'true', label: 'True' },
          { value: 'false', label: 'False' },
        ]}
        value={text}
        onChange={(next) => set(next ?? 'true', 'word')}
      />
    );
  }
  if (kind === 'word') {
    return (
      <TextInput
        size="xs"
        aria-label={label}
        classNames={{ input: 'mono' }}
        value={text}
        onChange={(event) => set(event.currentTarget.value, 'word')}
      />
    );
  }
  switch (field?.type) {
    case 'number':
      return (
        <NumberInput
          size="xs"
          aria-label={label}
          value={text}
          onChange={(next) => set(String(next), next === '' ? 'text' : 'number')}
        />
      );
    case 'date':
    case 'autodate':
      return <MomentInput size="xs" aria-label={label} value={text} onChange={(next) => set(next)} />;
    case 'select': {
      const offered = [...new Set(['', ...((field.values as string[] | null) ?? []), text])];
      return (
        <Select
          size="xs"
          aria-label={label}
          allowDeselect={false}
          data={offered.map((each) => ({ value: each, label: each || 'Empty' }))}
          value={text}
          onChange={(next) => set(next ?? '')}
        />
      );
    }
    case 'relation':
      return <RelationValue {...props} />;
    default:
      return (
        <TextInput
          size="xs"
          aria-label={label}
          dir="auto"
          placeholder="Empty"
          value={text}
          onChange={(event) => set(event.currentTarget.value, kind === 'number' ? 'number' : 'text')}
        />
      );
  }
}

function ConditionLine({
  condition,
  collection,
  onChange,
}: {
  condition: Condition;
  collection: CollectionModel;
  onChange: (next: Condition) => void;
}) {
  const fields = collection.fields.filter(({ type, name }) => type !== 'password' && name !== 'tokenKey');
  const field = fields.find(({ name }) => name === condition.field);
  const names = [...new Set([...fields.map(({ name }) => name), condition.field])].filter(Boolean);
  const operators = [...new Set([...operatorsFor(field), condition.operator])];
  return (
    <div className={classes.line} role="group" aria-label={`Condition on ${condition.field || 'a field'}`}>
      <Select
        size="xs"
        aria-label="Field"
        placeholder="Field"
        searchable
        allowDeselect={false}
        data={names}
        value={condition.field || null}
        onChange={(next) =>
          onChange(
            conditionOn(
              fields.find(({ name }) => name === next),
              next ?? '',
            ),
          )
        }
      />
      <Select
        size="xs"
        aria-label="Operator"
        allowDeselect={false}
        data={operators.map((each) => ({ value: each, label: operatorLabel(each, field) }))}
        value={condition.operator}
        onChange={(next) => onChange({ ...condition, operator: next ?? '=' })}
      />
      <ValueInput condition={condition} field={field} onChange={onChange} />
    </div>
  );
}

/** What was typed as words stays words, whatever the fields are that it is searched for in. */
function SearchLine({ words, onChange }: { words: string; onChange: (words: string) => void }) {
  return (
    <div className={classes.search} role="group" aria-label="Search">
      <span className="hint">Any text contains</span>
      <TextInput
        size="xs"
        aria-label="Words"
        dir="auto"
        value={words}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}

interface GroupProps {
  readonly group: FilterGroup;
  readonly collection: CollectionModel;
  readonly onChange: (next: FilterGroup) => void;
}

function Group({ group, collection, onChange }: GroupProps) {
  const { join, terms } = group;
  const element = useRef<HTMLDivElement>(null);
  const remove = (index: number) => {
    onChange({ ...group, terms: terms.toSpliced(index, 1) });
    // Its button is gone with it: whoever goes on by keys is at the one that came in its place, or where one is added.
    requestAnimationFrame(() => {
      const own = [...element.current!.querySelectorAll<HTMLElement>(':scope > * > [data-remove]')];
      (own[Math.min(index, own.length - 1)] ?? element.current!.querySelector<HTMLElement>('[data-add]'))?.focus();
    });
  };
  const add = (term: FilterTerm) => onChange({ ...group, terms: [...terms, term] });
  const put = (index: number, term: FilterTerm) => onChange({ ...group, terms: terms.with(index, term) });
  return (
    <div
      ref={element}
      className={classes.group}
      role="group"
      aria-label={join === 'and' ? 'All of these' : 'Any of these'}
    >
      <div className={classes.head}>
        <SegmentedControl
          size="xs"
          aria-label="How the conditions are joined"
          value={join}
          onChange={(next) => onChange({ ...group, join: next as FilterGroup['join'] })}
          data={[
            { value: 'and', label: 'All of these' },
            { value: 'or', label: 'Any of these' },
          ]}
        />
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPlus size={13} />}
          data-add
          onClick={() => add(conditionOn(undefined))}
        >
          Add condition
        </Button>
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPlus size={13} />}
          onClick={() => add({ kind: 'group', join: join === 'and' ? 'or' : 'and', terms: [conditionOn(undefined)] })}
        >
          Add group
        </Button>
      </div>
      {terms.map((term, index) => (
        // Lines have no identity but their place.
        <div key={index} className={classes.term}>
          {term.kind === 'group' ? (
            <div style={{ flex: 1, minWidth: 0 }}>
              <Group group={term} collection={collection} onChange={(next) => put(index, next)} />
            </div>
          ) : term.kind === 'raw' ? (
            <code className={classes.raw}>{term.text}</code>
          ) : term.kind === 'search' ? (
            <SearchLine words={term.words} onChange={(words) => put(index, { kind: 'search', words })} />
          ) : (
            <ConditionLine condition={term} collection={collection} onChange={(next) => put(index, next)} />
          )}
          <ActionIcon
            size={28}
            aria-label={`Remove the ${term.kind === 'group' || term.kind === 'search' ? term.kind : 'condition'}`}
            data-remove
            onClick={() => remove(index)}
          >
            <IconX size={14} />
          </ActionIcon>
        </div>
      ))}
    </div>
  );
}

/** Builds a filter of lines and groups, and writes the same text as one would by hand (UI-73). */
export function FilterBuilderDialog({ collection, search, onClose, onSearch }: FilterBuilderDialogProps) {
  const [{ group, error }, setState] = useState(() => {
    const found = read(search, collection);
    // Who begins anew begins with a line.
    return found.group.terms.length || found.error ? found : { group: { ...EMPTY, terms: [conditionOn(undefined)] } };
  });
  const searched = searchedFields(collection);
  const text = writeFilter(group, searched);
  const isSearch = text !== '' && group.terms.length === 1 && group.terms[0]!.kind === 'search';
  return (
    <Dialog
      opened
      onClose={onClose}
      size={760}
      title={`Filter ${collection.name}`}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => onSearch(error ? text : rewritten(search, group, collection))}>
            Apply the filter
          </Button>
        </>
      }
    >
      <ErrorNote
        message={error ? `The text cannot be read as conditions: ${error}. What is built here takes its place.` : null}
      />
      <Group group={group} collection={collection} onChange={(next) => setState({ group: next, error })} />
      {isSearch ? (
        <p className="hint">Looked for in {searched.join(', ')}.</p>
      ) : text ? (
        <code className={classes.text} aria-label="The filter as text" role="note" dir="ltr">
          {text}
        </code>
      ) : (
        <p className="hint">Without a condition every record is shown.</p>
      )}
    </Dialog>
  );
}
