import { Button, Group, NumberInput, Stack, Tabs } from '@mantine/core';
import type { RecordModel } from 'pocketbase';
import { useState } from 'react';
import { api, serverUrl } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { messageOf } from '../api/failure.js';
import { CodeSample } from '../design/code-sample.js';
import { Dialog } from '../design/dialog.js';
import { durationText } from '../design/duration-text.js';
import { ErrorNote } from '../login/error-note.js';

interface ImpersonateDialogProps {
  readonly collection: CollectionModel;
  readonly record: RecordModel;
  readonly onClose: () => void;
}

/** A token that acts as an account, for a limited time, with samples of how to use it (AUTH-1607). */
export function ImpersonateDialog({ collection, record, onClose }: ImpersonateDialogProps) {
  const [duration, setDuration] = useState<number | string>('');
  const [token, setToken] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const generate = async () => {
    setBusy(true);
    setError(null);
    try {
      const client = await api.collection(collection.id).impersonate(record.id, Number(duration) || 0);
      setToken(client.authStore.token);
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  const url = serverUrl();
  return (
    <Dialog opened onClose={onClose} title="Impersonate" size={640}>
      <Stack gap={14}>
        <p style={{ margin: 0, color: 'var(--ink-2)' }}>
          The token acts as <b>{String(record.email || record.id)}</b>. It cannot be renewed and ends with the account's
          password.
        </p>
        <ErrorNote message={error} />
        <Group align="flex-end" gap={8}>
          <NumberInput
            label={
              <>
                Duration in seconds{' '}
                <span className="hint">
                  {duration === ''
                    ? `${durationText(Number(collection.authToken?.duration))}, the collection's own`
                    : durationText(Number(duration))}
                </span>
              </>
            }
            placeholder={String(collection.authToken?.duration ?? '')}
            min={0}
            allowDecimal={false}
            value={duration}
            onChange={setDuration}
            flex={1}
          />
          <Button onClick={() => void generate()} loading={busy}>
            Generate token
          </Button>
        </Group>
        {token ? (
          <>
            <CodeSample code={token} language="text" label="Token" maxHeight={120} />
            <Tabs defaultValue="js">
              <Tabs.List mb={8}>
                <Tabs.Tab value="js">JavaScript</Tabs.Tab>
                <Tabs.Tab value="dart">Dart</Tabs.Tab>
                <Tabs.Tab value="curl">curl</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="js">
                <CodeSample
                  language="javascript"
                  label="JavaScript sample"
                  code={`import PocketBase from 'pocketbase';\n\nconst client = new PocketBase('${url}');\nclient.authStore.save('${token}', null);`}
                />
              </Tabs.Panel>
              <Tabs.Panel value="dart">
                <CodeSample
                  language="javascript"
                  label="Dart sample"
                  code={`import 'package:pocketbase/pocketbase.dart';\n\nfinal client = PocketBase('${url}');\nclient.authStore.save('${token}', null);`}
                />
              </Tabs.Panel>
              <Tabs.Panel value="curl">
                <CodeSample
                  language="text"
                  label="curl sample"
                  code={`curl -H 'Authorization: ${token}' '${url}/api/…'`}
                />
              </Tabs.Panel>
            </Tabs>
          </>
        ) : null}
      </Stack>
    </Dialog>
  );
}
