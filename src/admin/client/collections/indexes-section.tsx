import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { parseIndex, uniqueColumn } from '../../../kernel/collections/index-definition.js';
import type { DraftTabProps } from './draft-tab-props.js';
import classes from './collection-panel.module.css';
import { IndexDialog } from './index-dialog.js';

function describe(text: string): string {
  const index = parseIndex(text);
  if (!index) return text.slice(0, 60);
  const columns = index.columns.map((column) => column.name).join(', ');
  return `${index.unique || uniqueColumn(index) ? 'unique ' : ''}${columns}`;
}

/** The indexes of a collection (UI-42). */
export function IndexesSection({ draft, setDraft, errors }: DraftTabProps) {
  const [open, setOpen] = useState<number | 'new' | null>(null);
  const { indexes } = draft.collection;
  const set = (next: string[]) => {
    errors.clear('indexes');
    setDraft((current) => ({ ...current, collection: { ...current.collection, indexes: next } }));
  };
  return (
    <section style={{ marginTop: 22 }} aria-label="Indexes">
      <h3 style={{ margin: '0 0 8px', fontSize: 13 }}>
        Indexes <span className="hint">({indexes.length})</span>
      </h3>
      <div className={classes.indexes}>
        {indexes.map((text, index) => (
          <button
            key={text}
            type="button"
            className={classes.index}
            data-invalid={errors.under(`indexes.${index}`) || undefined}
            title={text}
            onClick={() => setOpen(index)}
          >
            <span className="truncate">{describe(text)}</span>
          </button>
        ))}
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconPlus size={14} />}
          onClick={() => setOpen('new')}
        >
          New index
        </Button>
      </div>
      {(errors.at('indexes') ?? indexes.map((_, index) => errors.at(`indexes.${index}`)).find(Boolean)) ? (
        <p role="alert" style={{ margin: '8px 0 0', color: 'var(--danger)', fontSize: 12 }}>
          {errors.at('indexes') ?? indexes.map((_, index) => errors.at(`indexes.${index}`)).find(Boolean)}
        </p>
      ) : null}
      {open === null ? null : (
        <IndexDialog
          table={draft.collection.name}
          fields={draft.fields
            .filter((each) => !each.removed && each.field.name !== 'id')
            .map((each) => each.field.name)}
          initial={open === 'new' ? '' : (indexes[open] ?? '')}
          onClose={() => setOpen(null)}
          onSave={(text) => {
            set(open === 'new' ? [...indexes, text] : indexes.map((each, index) => (index === open ? text : each)));
            setOpen(null);
          }}
          onDelete={
            open === 'new'
              ? undefined
              : () => {
                  set(indexes.filter((_, index) => index !== open));
                  setOpen(null);
                }
          }
        />
      )}
    </section>
  );
}
