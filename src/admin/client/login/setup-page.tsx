import { Button, Code, Divider, FileButton, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import type { RecordModel } from 'pocketbase';
import { useState, type FormEvent } from 'react';
import { api, publicApi } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import { PASSWORDS_DIFFER, useFieldErrors } from '../api/use-field-errors.js';
import { usePageTitle } from '../app/use-page-title.js';
import { useConfirm } from '../design/confirm.js';
import { toastSuccess } from '../design/toast.js';
import { EntranceFrame } from './entrance-frame.js';
import { ErrorNote } from './error-note.js';

interface SetupPageProps {
  readonly initialToken?: string;
}

/** The first superuser, or a restore from a backup (AUTH-1602). */
export function SetupPage({ initialToken = '' }: SetupPageProps) {
  usePageTitle('Set up');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const errors = useFieldErrors();
  const [form, setForm] = useState({ email: '', password: '', passwordConfirm: '', token: initialToken });
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState<'' | 'create' | 'restore'>('');

  const bind = (name: keyof typeof form) => ({
    value: form[name],
    error: errors.at(name),
    'aria-invalid': errors.at(name) ? true : undefined,
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      errors.clear(name);
      setForm((current) => ({ ...current, [name]: value }));
    },
  });

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    if (form.password !== form.passwordConfirm) {
      errors.add('passwordConfirm', PASSWORDS_DIFFER);
      return;
    }
    setBusy('create');
    try {
      const answer = await api.send<{ token: string; record: RecordModel }>('/api/setup', {
        method: 'POST',
        body: form,
      });
      queries.removeQueries({ queryKey: ['setup'] });
      api.authStore.save(answer.token, answer.record);
      await navigate({ to: '/collections' as never, replace: true });
    } catch (failure) {
      errors.set(failure);
      setError(messageOf(failure));
    } finally {
      setBusy('');
    }
  };

  const restore = async (file: File | null) => {
    if (!file) return;
    const sure = await confirm({
      title: 'Start from this backup?',
      body: `${file.name} becomes the content of this Roost, including its superusers. Nothing else is here yet.`,
      action: 'Upload and restore',
    });
    if (!sure) return;
    setBusy('restore');
    setError(null);
    try {
      const client = publicApi();
      client.authStore.save(form.token);
      await client.backups.upload({ file });
      await client.backups.restore(file.name);
      toastSuccess('The backup is being restored. The page reloads in a few seconds.');
      setTimeout(() => {
        window.location.hash = '#/';
        window.location.reload();
      }, 4000);
    } catch (failure) {
      setError(messageOf(failure));
      setBusy('');
    }
  };

  return (
    <EntranceFrame title="Welcome to Roost" lead="Create the first superuser. It can see and change everything.">
      <form onSubmit={(event) => void submit(event)}>
        <ErrorNote message={error} />
        <Stack gap={14}>
          {initialToken === '' ? (
            <Text size="sm" c="dimmed">
              When it started, the server printed a link with a token in its console or log. Open that link, or enter
              the token here. On the server itself <Code>roost superuser create EMAIL PASSWORD</Code> does the same.
            </Text>
          ) : null}
          <TextInput
            label="Setup token"
            description="The last part of the link that the server printed when it started."
            required
            withAsterisk={false}
            autoComplete="off"
            {...bind('token')}
          />
          <TextInput
            label="E-mail"
            type="email"
            required
            withAsterisk={false}
            autoFocus
            autoComplete="username"
            {...bind('email')}
          />
          <PasswordInput
            label="Password"
            description="10 characters or more are recommended."
            required
            withAsterisk={false}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
            {...bind('password')}
          />
          <PasswordInput
            label="Password again"
            required
            withAsterisk={false}
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the repeated password' }}
            {...bind('passwordConfirm')}
          />
          <Button type="submit" loading={busy === 'create'} disabled={busy === 'restore'} mt={4}>
            Create superuser and sign in
          </Button>
          {form.token ? (
            <>
              <Divider label="or" />
              <FileButton onChange={(file) => void restore(file)} accept=".zip,application/zip">
                {(props) => (
                  <Button
                    {...props}
                    variant="default"
                    loading={busy === 'restore'}
                    leftSection={<IconUpload size={16} />}
                  >
                    Initialise from a backup
                  </Button>
                )}
              </FileButton>
            </>
          ) : null}
        </Stack>
      </form>
    </EntranceFrame>
  );
}
