import { Button, Chip, Group, Stack, Switch } from '@mantine/core';
import { useMemo, useState } from 'react';
import { parseIndex, printIndex } from '../../../kernel/collections/index-definition.js';
import { CodeInput } from '../code/code-input.js';
import { Dialog } from '../design/dialog.js';

interface IndexDialogProps {
  readonly table: string;
  readonly fields: readonly string[];
  /** The statement to edit, '' for a new index. */
  readonly initial: string;
  readonly onSave: (text: string) => void;
  readonly onDelete?: () => void;
  readonly onClose: () => void;
}

/** One index as SQL, with shortcuts for what is usual: unique or not, over which fields. */
export function IndexDialog({ table, fields, initial, onSave, onDelete, onClose }: IndexDialogProps) {
  const suggestedName = useMemo(() => `idx_${Math.random().toString(36).slice(2, 12)}`, []);
  const [text, setText] = useState(initial || `CREATE INDEX \`${suggestedName}\` ON \`${table}\` ()`);
  const index = parseIndex(text);
  const unique = index?.unique ?? /^\s*create\s+unique/i.test(text);
  const chosen = index?.columns.filter((column) => !column.expression).map((column) => column.name) ?? [];
  const rebuild = (names: readonly string[]) => {
    const known = new Map((index?.columns ?? []).map((column) => [column.name, column]));
    const columns = names.map((name) => known.get(name) ?? { name, expression: false, collate: '', sort: '' as const });
    if (!columns.length)
      setText(`CREATE ${unique ? 'UNIQUE ' : ''}INDEX \`${index?.name ?? suggestedName}\` ON \`${table}\` ()`);
    else setText(printIndex({ unique, name: index?.name ?? suggestedName, table, where: index?.where ?? '', columns }));
  };
  const schema = useMemo(() => ({ [table || 'collection']: fields }), [table, fields]);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={initial ? 'Edit index' : 'New index'}
      footer={
        <>
          {onDelete ? (
            <Button
              variant="subtle"
              color="red.9"
              mr="auto"
              onClick={onDelete}
              styles={{ label: { color: 'var(--danger)' } }}
            >
              Delete index
            </Button>
          ) : null}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={!index} onClick={() => onSave(text)}>
            Set index
          </Button>
        </>
      }
    >
      <Stack gap={14}>
        <Switch
          label="Unique"
          description="No two records may have the same value."
          checked={unique}
          onChange={() =>
            setText(unique ? text.replace(/unique\s+/i, '') : text.replace(/create\s+/i, 'CREATE UNIQUE '))
          }
        />
        <CodeInput
          language="sql"
          label="Index as SQL"
          value={text}
          onChange={setText}
          sqlSchema={schema}
          minHeight={90}
        />
        {index ? null : <p className="hint">Choose at least one field, or write a complete CREATE INDEX statement.</p>}
        <Group gap={6}>
          {fields.map((name) => (
            <Chip
              key={name}
              size="xs"
              checked={chosen.includes(name)}
              onChange={(on) => rebuild(on ? [...chosen, name] : chosen.filter((each) => each !== name))}
            >
              {name}
            </Chip>
          ))}
        </Group>
      </Stack>
    </Dialog>
  );
}
