import { ActionIcon, Menu, TextInput } from '@mantine/core';
import { IconAdjustments, IconArrowBackUp, IconCopyPlus, IconDots, IconTrash } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { parseIndex, uniqueColumn } from '../../../kernel/collections/index-definition.js';
import type { FieldModel } from '../api/collection-model.js';
import type { FieldErrors } from '../api/use-field-errors.js';
import { FieldIcon } from '../fields/field-icon.js';
import { fieldTypeLabel } from '../fields/field-types.js';
import type { CollectionDraft, DraftField } from './collection-draft.js';
import classes from './collection-panel.module.css';
import { FieldOptions } from './field-options.js';

interface FieldCardProps {
  readonly item: DraftField;
  readonly handle: ReactNode;
  readonly draft: CollectionDraft;
  readonly errors: FieldErrors;
  /** Where the errors of this field stand. */
  readonly path: string;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly onRename: (name: string) => void;
  readonly onChange: (options: Partial<FieldModel>) => void;
  readonly onRemove: () => void;
  readonly onRestore: () => void;
  readonly onDuplicate: () => void;
}

function isUnique(draft: CollectionDraft, name: string): boolean {
  return draft.collection.indexes.some((text) => {
    const index = parseIndex(text);
    return index ? uniqueColumn(index)?.name.toLowerCase() === name.toLowerCase() : false;
  });
}

/** One field: its name, its marks, and folded below them its options. */
export function FieldCard({
  item,
  handle,
  draft,
  errors,
  path,
  open,
  onToggle,
  onRename,
  onChange,
  onRemove,
  onRestore,
  onDuplicate,
}: FieldCardProps) {
  const { field, removed } = item;
  const input = useRef<HTMLInputElement>(null);
  const isFresh = !field.id && !field.system;
  useEffect(() => {
    if (isFresh && open) input.current?.select();
    // Only when the card is new: later openings leave the focus where it is.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const marks = [
    field.required ? 'Required' : '',
    isUnique(draft, field.name) ? 'Unique' : '',
    field.hidden ? 'Hidden' : '',
    field.presentable ? 'Presentable' : '',
  ].filter(Boolean);
  const failed = errors.under(path);
  return (
    <div className={classes.card} data-open={open || undefined} data-invalid={failed || undefined}>
      <div className={classes.cardHead} data-removed={removed || undefined}>
        {handle}
        <span style={{ display: 'inline-flex' }} role="img" aria-label={fieldTypeLabel(field.type)}>
          <FieldIcon type={field.type} name={field.name} size={16} />
        </span>
        <TextInput
          ref={input}
          className={classes.cardName}
          aria-label={`Name of field ${field.name}`}
          disabled={removed || field.system}
          spellCheck={false}
          value={field.name}
          error={Boolean(errors.at(`${path}.name`))}
          onChange={(event) => {
            errors.clear(path);
            onRename(event.currentTarget.value);
          }}
        />
        <span className={classes.cardType} aria-hidden>
          {fieldTypeLabel(field.type)}
        </span>
        <span className={classes.marks}>
          {marks.map((mark) => (
            <span key={mark} className={classes.mark}>
              {mark}
            </span>
          ))}
        </span>
        {removed ? (
          <ActionIcon aria-label={`Keep field ${field.name}`} onClick={onRestore}>
            <IconArrowBackUp size={16} />
          </ActionIcon>
        ) : (
          <>
            <ActionIcon aria-label={`Options of field ${field.name}`} aria-expanded={open} onClick={onToggle}>
              <IconAdjustments size={16} />
            </ActionIcon>
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon aria-label={`More for field ${field.name}`}>
                  <IconDots size={16} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item leftSection={<IconCopyPlus size={15} />} onClick={onDuplicate}>
                  Duplicate
                </Menu.Item>
                <Menu.Item data-danger disabled={field.system} leftSection={<IconTrash size={15} />} onClick={onRemove}>
                  Remove
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </>
        )}
      </div>
      {errors.at(path) || errors.at(`${path}.name`) ? (
        <p role="alert" style={{ margin: '0 14px 8px', color: 'var(--danger)', fontSize: 12 }}>
          {errors.at(path) ?? errors.at(`${path}.name`)}
        </p>
      ) : null}
      {open && !removed ? (
        <div className={classes.cardBody}>
          <FieldOptions
            field={field}
            errors={errors}
            path={path}
            onChange={(options) => {
              for (const name of Object.keys(options)) errors.clear(`${path}.${name}`);
              onChange(options);
            }}
          />
        </div>
      ) : null}
    </div>
  );
}
