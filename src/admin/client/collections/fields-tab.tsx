import { Button, Popover } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useExtensions } from '../api/queries.js';
import { extendedTypes } from '../extensions/extended-type.js';
import { FieldIcon } from '../fields/field-icon.js';
import { FIELD_TYPES, newField } from '../fields/field-types.js';
import { SortableList } from '../fields/sortable-list.js';
import { newKey, freeName, renameField, slug, type DraftField } from './collection-draft.js';
import type { DraftTabProps } from './draft-tab-props.js';
import classes from './collection-panel.module.css';
import { FieldCard } from './field-card.js';
import { IndexesSection } from './indexes-section.js';

function AddField({ onAdd }: { onAdd: (type: string) => void }) {
  const [opened, setOpened] = useState(false);
  const offered = [
    ...FIELD_TYPES,
    ...extendedTypes(useExtensions()).flatMap(({ type, label }) => (label ? [{ type, label, about: type }] : [])),
  ];
  return (
    <Popover opened={opened} onChange={setOpened} width="target" position="top" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          fullWidth
          leftSection={<IconPlus size={15} />}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          New field
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes.typeGrid}>
          {offered.map(({ type, label, about }) => (
            <button
              key={type}
              type="button"
              className={classes.typeChoice}
              title={about}
              onClick={() => {
                setOpened(false);
                onAdd(type);
              }}
            >
              <FieldIcon type={type} size={16} />
              {label}
            </button>
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The fields of a base or auth collection and its indexes (UI-41, UI-42). */
export function FieldsTab(props: DraftTabProps) {
  const { draft, setDraft, errors } = props;
  const [open, setOpen] = useState<string | null>(null);
  // Errors of the server are numbered by the list that was sent, without removed fields.
  const sent = draft.fields.filter((each) => !each.removed);
  // What failed is opened and shown.
  const failed = sent.findIndex((_each, index) => errors.under(`fields.${index}`));
  const failedKey = failed < 0 ? undefined : sent[failed]!.key;
  useEffect(() => {
    if (failedKey) setOpen(failedKey);
  }, [failedKey, errors.tree]);
  const change = (key: string, next: Partial<DraftField>) =>
    setDraft((current) => ({
      ...current,
      fields: current.fields.map((each) => (each.key === key ? { ...each, ...next } : each)),
    }));
  const add = (type: string) => {
    const key = newKey();
    setDraft((current) => {
      const made: DraftField = { key, removed: false, field: newField(type, freeName(current, 'field')) };
      const dates = current.fields.findIndex((each) => each.field.type === 'autodate' && each.field.system);
      const at = dates < 0 ? current.fields.length : dates;
      return { ...current, fields: [...current.fields.slice(0, at), made, ...current.fields.slice(at)] };
    });
    setOpen(key);
  };
  return (
    <>
      <SortableList
        items={draft.fields}
        idOf={(each) => each.key}
        nameOf={(each) => each.field.name}
        onSort={(fields) => setDraft((current) => ({ ...current, fields }))}
      >
        {(each, handle) => (
          <FieldCard
            item={each}
            handle={handle}
            draft={draft}
            errors={errors}
            path={`fields.${sent.indexOf(each)}`}
            open={open === each.key}
            onToggle={() => setOpen(open === each.key ? null : each.key)}
            onRename={(name) => setDraft((current) => renameField(current, each.key, slug(name).slice(0, 100)))}
            onChange={(options) => change(each.key, { field: { ...each.field, ...options } })}
            onRemove={() =>
              each.field.id
                ? change(each.key, { removed: true })
                : setDraft((current) => ({
                    ...current,
                    fields: current.fields.filter((other) => other.key !== each.key),
                  }))
            }
            onRestore={() => change(each.key, { removed: false })}
            onDuplicate={() => {
              const key = newKey();
              setDraft((current) => {
                const at = current.fields.findIndex((other) => other.key === each.key);
                const copy: DraftField = {
                  key,
                  removed: false,
                  field: {
                    ...structuredClone(each.field),
                    id: '',
                    system: false,
                    primaryKey: false,
                    name: freeName(current, `${each.field.name}_copy`),
                  },
                };
                return {
                  ...current,
                  fields: [...current.fields.slice(0, at + 1), copy, ...current.fields.slice(at + 1)],
                };
              });
              setOpen(key);
            }}
          />
        )}
      </SortableList>
      <AddField onAdd={add} />
      <IndexesSection {...props} />
    </>
  );
}
