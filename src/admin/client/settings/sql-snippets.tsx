import { Button, Menu, TextInput } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { api } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import type { SqlSnippetModel } from '../api/models.js';
import { useFieldErrors } from '../api/use-field-errors.js';
import { useConfirm } from '../design/confirm.js';
import { Dialog } from '../design/dialog.js';
import { toastError, toastSuccess } from '../design/toast.js';
import { ErrorNote } from '../login/error-note.js';
import classes from './settings.module.css';

const SNIPPETS = '/api/sql/snippets';
const KEY = ['sql-snippets'];

/** Statements under names, kept in the database for all superusers (UI-81). */
export function SqlSnippets({ query, onPick }: { query: string; onPick: (query: string) => void }) {
  const queries = useQueryClient();
  const confirm = useConfirm();
  const [naming, setNaming] = useState(false);
  const snippets = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.send<SqlSnippetModel[]>(SNIPPETS, { signal }),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: KEY });
  const remove = async ({ name }: SqlSnippetModel) => {
    const sure = await confirm({
      title: `Delete "${name}"?`,
      body: 'All superusers lose it.',
      action: 'Delete snippet',
      danger: true,
    });
    if (!sure) return;
    try {
      await api.send(`${SNIPPETS}/${encodeURIComponent(name)}`, { method: 'DELETE' });
      await refresh();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <>
      <Menu position="bottom-start" width={360} closeOnItemClick>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={15} />} ml="auto">
            Snippets
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
          <Menu.Item disabled={!query.trim()} onClick={() => setNaming(true)}>
            Save as a snippet…
          </Menu.Item>
          <Menu.Divider />
          {snippets.isPending ? <Menu.Label>Loading…</Menu.Label> : null}
          {snippets.isError ? <Menu.Label>{messageOf(snippets.error)}</Menu.Label> : null}
          {snippets.data?.length === 0 ? <Menu.Label>Nothing was saved yet</Menu.Label> : null}
          {snippets.data?.map((each) => (
            <div key={each.name} className={classes.snippet} role="none">
              <Menu.Item onClick={() => onPick(each.query)} title={each.query}>
                <span className="truncate" style={{ display: 'block' }} dir="auto">
                  {each.name}
                </span>
              </Menu.Item>
              <Menu.Item
                className={classes.snippetDelete}
                aria-label={`Delete ${each.name}`}
                onClick={() => void remove(each)}
              >
                <IconTrash size={14} />
              </Menu.Item>
            </div>
          ))}
        </Menu.Dropdown>
      </Menu>
      {naming ? (
        <NameDialog
          query={query}
          known={snippets.data ?? []}
          onClose={() => setNaming(false)}
          onSaved={() => {
            setNaming(false);
            void refresh();
          }}
        />
      ) : null}
    </>
  );
}

interface NameDialogProps {
  readonly query: string;
  readonly known: readonly SqlSnippetModel[];
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Asks for a name; one that is there already is written over. */
function NameDialog({ query, known, onClose, onSaved }: NameDialogProps) {
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const errors = useFieldErrors();
  const same = known.find((each) => each.name === name.trim());
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      await api.send(SNIPPETS, { method: 'PUT', body: { name: name.trim(), query } });
      toastSuccess('Snippet saved.');
      onSaved();
    } catch (error) {
      errors.set(error);
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Save as a snippet"
      size={440}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form="snippet-name" loading={busy} disabled={!name.trim()}>
            {same ? 'Write over it' : 'Save'}
          </Button>
        </>
      }
    >
      <form id="snippet-name" onSubmit={(event) => void submit(event)}>
        <ErrorNote message={failure} />
        <TextInput
          label="Name"
          required
          data-autofocus
          maxLength={100}
          dir="auto"
          value={name}
          error={errors.at('name') ?? errors.at('query')}
          description={same ? 'There is one with this name.' : 'All superusers see it.'}
          onChange={(event) => {
            errors.clear('name');
            setName(event.currentTarget.value);
          }}
        />
      </form>
    </Dialog>
  );
}
