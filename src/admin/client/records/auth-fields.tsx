import { Button, Group, PasswordInput, Stack, Switch, TextInput } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import type { FieldErrors } from '../api/use-field-errors.js';
import { copyText } from '../design/copy-text.js';
import { FieldFrame } from '../fields/field-frame.js';
import type { FormValues } from './record-form.js';

interface AuthFieldsProps {
  readonly collection: CollectionModel;
  readonly values: FormValues;
  readonly isNew: boolean;
  readonly errors: FieldErrors;
  readonly set: (name: string, value: unknown) => void;
}

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789-_';

function randomPassword(): string {
  // Bytes beyond the last whole round of the alphabet are thrown away: no character is likelier than another.
  const limit = 256 - (256 % ALPHABET.length);
  let password = '';
  while (password.length < 24) {
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) {
      if (byte < limit && password.length < 24) password += ALPHABET[byte % ALPHABET.length];
    }
  }
  return password;
}

/** What every account has: e-mail and who sees it, password, whether it is verified (UI-25). */
export function AuthFields({ collection, values, isNew, errors, set }: AuthFieldsProps) {
  const [changing, setChanging] = useState(isNew);
  const field = (name: string) => collection.fields.find((each) => each.name === name)!;
  const isSuperuser = collection.name === '_superusers';
  const generate = () => {
    const password = randomPassword();
    set('password', password);
    set('passwordConfirm', password);
    void copyText(password, 'A random password was filled in and copied.');
  };
  return (
    <Stack gap={18}>
      <FieldFrame
        field={field('email')}
        error={errors.at('email')}
        inputId="record-email"
        aside={
          isSuperuser ? null : (
            <Switch
              size="xs"
              labelPosition="left"
              label={values.emailVisibility ? 'Public' : 'Private'}
              aria-label="E-mail is public"
              checked={Boolean(values.emailVisibility)}
              onChange={(event) => set('emailVisibility', event.currentTarget.checked)}
            />
          )
        }
      >
        <TextInput
          id="record-email"
          type="email"
          autoComplete="off"
          value={String(values.email ?? '')}
          error={Boolean(errors.at('email'))}
          onChange={(event) => set('email', event.currentTarget.value)}
        />
      </FieldFrame>
      {changing ? (
        <FieldFrame
          field={{ ...field('password'), hidden: false, required: isNew }}
          error={errors.at('password')}
          aside={
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              leftSection={<IconKey size={13} />}
              onClick={generate}
            >
              Generate and copy
            </Button>
          }
        >
          <Group gap={8} grow align="flex-start">
            <PasswordInput
              aria-label="Password"
              placeholder="Password"
              autoComplete="new-password"
              value={String(values.password ?? '')}
              error={Boolean(errors.at('password'))}
              onChange={(event) => set('password', event.currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
            />
            <PasswordInput
              aria-label="Password again"
              placeholder="Password again"
              autoComplete="new-password"
              value={String(values.passwordConfirm ?? '')}
              error={errors.at('passwordConfirm')}
              onChange={(event) => set('passwordConfirm', event.currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the repeated password' }}
            />
          </Group>
        </FieldFrame>
      ) : (
        <div>
          <Button size="xs" variant="default" leftSection={<IconKey size={14} />} onClick={() => setChanging(true)}>
            Change password
          </Button>
        </div>
      )}
      {isSuperuser ? null : (
        <Switch
          label="verified"
          description="The account has proved that it reads mail at this address."
          checked={Boolean(values.verified)}
          error={errors.at('verified')}
          onChange={(event) => set('verified', event.currentTarget.checked)}
        />
      )}
    </Stack>
  );
}
