import { Alert, Collapse } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { ClientResponseError } from 'pocketbase';
import { useState } from 'react';
import { messageOf } from '../api/failure.js';
import { ShowHide } from './show-hide.js';

/** What the server said about a failed save: its sentence, and on request the whole answer (UI-3). */
export function ErrorDetails({ error }: { error: unknown }) {
  const [open, setOpen] = useState(false);
  if (!error) return null;
  const answer = error instanceof ClientResponseError ? error.response : {};
  // A proxy or a broken connection leaves none.
  const raw = Object.keys(answer).length ? JSON.stringify(answer, null, 2) : '';
  return (
    <Alert role="alert" color="red.8" icon={<IconAlertCircle size={18} />}>
      <span style={{ color: 'var(--ink)' }}>{messageOf(error)}</span>{' '}
      {raw ? <ShowHide what="details" shown={open} onChange={setOpen} /> : null}
      <Collapse expanded={open}>
        <pre
          className="mono"
          style={{ margin: '8px 0 0', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          tabIndex={0}
        >
          {raw}
        </pre>
      </Collapse>
    </Alert>
  );
}
