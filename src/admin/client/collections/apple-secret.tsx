import { Button, Group, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import { useFieldErrors } from '../api/use-field-errors.js';
import { Section } from '../design/section.js';
import { toastSuccess } from '../design/toast.js';
import { ErrorNote } from '../login/error-note.js';

const HALF_A_YEAR = 15_777_000;

/** Makes the client secret Apple wants from a key that is not stored (AUTH-1009). */
export function AppleSecret({ clientId, onSecret }: { clientId: string; onSecret: (secret: string) => void }) {
  const [form, setForm] = useState({ teamId: '', keyId: '', privateKey: '', duration: HALF_A_YEAR });
  const [error, setError] = useState<string | null>(null);
  const errors = useFieldErrors();
  const generate = async () => {
    setError(null);
    try {
      const { secret } = await api.settings.generateAppleClientSecret(
        clientId,
        form.teamId,
        form.keyId,
        form.privateKey,
        form.duration,
      );
      onSecret(secret);
      toastSuccess('The secret was generated and filled in.');
    } catch (failure) {
      errors.set(failure);
      setError(messageOf(failure));
    }
  };
  return (
    <Section title="Generate the secret from a key">
      <Stack gap={10}>
        <ErrorNote message={error ?? errors.at('clientId')} />
        <Group grow>
          <TextInput
            label="Team id"
            maxLength={10}
            value={form.teamId}
            error={errors.at('teamId')}
            onChange={(event) => setForm({ ...form, teamId: event.currentTarget.value })}
          />
          <TextInput
            label="Key id"
            maxLength={10}
            value={form.keyId}
            error={errors.at('keyId')}
            onChange={(event) => setForm({ ...form, keyId: event.currentTarget.value })}
          />
        </Group>
        <NumberInput
          label="Valid for (seconds)"
          min={1}
          max={HALF_A_YEAR}
          value={form.duration}
          error={errors.at('duration')}
          onChange={(value) => setForm({ ...form, duration: Number(value) || 0 })}
        />
        <Textarea
          label="Private key (PEM)"
          description="Used once and not stored."
          classNames={{ input: 'mono' }}
          autosize
          minRows={3}
          value={form.privateKey}
          error={errors.at('privateKey')}
          onChange={(event) => setForm({ ...form, privateKey: event.currentTarget.value })}
        />
        <Button variant="default" onClick={() => void generate()} disabled={!clientId}>
          Generate secret
        </Button>
      </Stack>
    </Section>
  );
}
