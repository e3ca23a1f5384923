import { Radio } from '@mantine/core';
import type { RecordModel } from 'pocketbase';
import { useId } from 'react';
import type { FieldModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { RecordCell } from './record-cell.js';
import { isFileSelection, type FormValues } from './record-form.js';
import classes from './records.module.css';
import type { TheirChange } from './their-changes.js';

const PLAIN: ReadonlySet<string> = new Set(['text', 'url', 'email', 'json']);

interface ChangeListProps {
  readonly changes: readonly TheirChange[];
  /** The record as it was when the form was opened; absent where it is no longer known. */
  readonly before?: RecordModel;
  readonly theirs: RecordModel;
  readonly mine: FormValues;
  /** The names of the fields of which theirs is wanted. */
  readonly wanted: ReadonlySet<string>;
  readonly onWant: (wanted: ReadonlySet<string>) => void;
}

/** A value that is compared with another: as long as it is, and nothing in it can be clicked on. */
function Value({ field, value, record }: { field: FieldModel; value: unknown; record: RecordModel }) {
  const { data: collections = [] } = useCollections();
  if (isFileSelection(value)) {
    const kept = value.stored.filter((name) => !value.removed.includes(name));
    return <>{[...kept, ...value.added.map(({ name }) => name)].join(', ') || '–'}</>;
  }
  if (PLAIN.has(field.type)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return <span dir="auto">{text.slice(0, 200) || '–'}</span>;
  }
  return <RecordCell record={{ ...record, [field.name]: value }} field={field} collections={collections} />;
}

/** What somebody else changed, field by field, and what is to stay where it was changed here too. */
export function ChangeList({ changes, before, theirs, mine, wanted, onWant }: ChangeListProps) {
  // The same fields may be asked about in a notice and in a dialog over it: radios of one name are one group.
  const group = useId();
  const want = (name: string, isWanted: boolean) => {
    const next = new Set(wanted);
    if (isWanted) next.add(name);
    else next.delete(name);
    onWant(next);
  };
  return (
    <dl className={classes.theirChanges}>
      {changes.map(({ field, isContested }) => {
        const now = <Value field={field} value={theirs[field.name]} record={theirs} />;
        return (
          <div key={field.id}>
            <dt className="mono">{field.name}</dt>
            <dd>
              {isContested ? (
                <div role="radiogroup" aria-label={`What stays in ${field.name}`}>
                  {(['mine', 'theirs'] as const).map((whose) => (
                    <Radio
                      key={whose}
                      size="xs"
                      mb={8}
                      name={`${group} ${field.name}`}
                      checked={wanted.has(field.name) === (whose === 'theirs')}
                      onChange={() => want(field.name, whose === 'theirs')}
                      label={
                        <>
                          {whose === 'mine' ? 'Mine: ' : 'Theirs: '}
                          <Value
                            field={field}
                            value={whose === 'mine' ? mine[field.name] : theirs[field.name]}
                            record={theirs}
                          />
                        </>
                      }
                    />
                  ))}
                </div>
              ) : before ? (
                <span className={classes.changedValue}>
                  <del className={classes.wasValue}>
                    <Value field={field} value={before[field.name]} record={before} />
                  </del>
                  <span aria-hidden>→</span>
                  <ins>{now}</ins>
                </span>
              ) : (
                now
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
