import { ActionIcon, Select, Stack, Switch } from '@mantine/core';
import { IconSettings, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProviderModel } from '../api/collection-model.js';
import { providersQuery } from '../api/queries.js';
import { Section } from '../design/section.js';
import { SideBySide } from '../design/side-by-side.js';
import { AddButton } from '../fields/add-button.js';
import fieldClasses from '../fields/fields.module.css';
import type { AuthSectionProps } from './draft-tab-props.js';
import { ProviderDialog } from './provider-dialog.js';
import { ProviderLogo } from './provider-logo.js';
import { ProviderPicker } from './provider-picker.js';

const MAPPED = [
  { name: 'id', label: 'Id' },
  { name: 'name', label: 'Name' },
  { name: 'username', label: 'User name' },
  { name: 'avatarURL', label: 'Avatar' },
] as const;
const RESERVED = new Set(['email', 'emailVisibility', 'verified', 'tokenKey', 'password']);

/** Sign-in through other services: which ones, with which keys, and what is taken over from them. */
export function OAuth2Section({ collection, patch, errors }: AuthSectionProps) {
  const { data: known = [] } = useQuery(providersQuery);
  const [picking, setPicking] = useState(false);
  const [editing, setEditing] = useState<ProviderModel | null>(null);
  const { oauth2 } = collection;
  const providers = oauth2.providers ?? [];
  const stored = (provider: ProviderModel) => providers.some((each) => each.name === provider.name);
  const nameOf = (provider: ProviderModel) =>
    provider.displayName || known.find((each) => each.name === provider.name)?.displayName || provider.name;
  const fields = collection.fields.filter(
    (field) => ['text', 'editor', 'url', 'file', 'email'].includes(field.type) && !RESERVED.has(field.name),
  );
  const set = (change: object) => {
    errors.clear('oauth2');
    patch('oauth2', change);
  };
  return (
    <Section
      title="OAuth2"
      state={oauth2.enabled ? (providers.length ? 'Enabled' : 'Without provider') : 'Disabled'}
      on={oauth2.enabled && providers.length > 0}
      failed={errors.under('oauth2')}
    >
      <Switch
        label="Enabled"
        checked={oauth2.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <div className={fieldClasses.box}>
        {providers.map((provider, index) => (
          <div key={provider.name} className={fieldClasses.itemRow} style={{ paddingLeft: 10 }}>
            <ProviderLogo svg={known.find((each) => each.name === provider.name)?.logo ?? ''} name={nameOf(provider)} />
            <span className={fieldClasses.itemName}>
              {nameOf(provider)}
              {errors.under(`oauth2.providers.${index}`) ? (
                <span style={{ color: 'var(--danger)' }}> – needs attention</span>
              ) : null}
            </span>
            <ActionIcon aria-label={`Settings of ${nameOf(provider)}`} onClick={() => setEditing(provider)}>
              <IconSettings size={16} />
            </ActionIcon>
            <ActionIcon
              aria-label={`Remove ${nameOf(provider)}`}
              onClick={() => set({ providers: providers.filter((each) => each.name !== provider.name) })}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </div>
        ))}
        <AddButton onClick={() => setPicking(true)}>Add provider</AddButton>
      </div>
      <Stack gap={6}>
        <div style={{ fontWeight: 500 }}>What a new account takes over</div>
        <SideBySide>
          {MAPPED.map(({ name, label }) => (
            <Select
              key={name}
              label={label}
              placeholder="Nothing"
              clearable
              searchable
              clearButtonProps={{ 'aria-label': `Clear ${label}` }}
              value={oauth2.mappedFields?.[name] || null}
              data={fields.filter((field) => name === 'avatarURL' || field.type !== 'file').map((field) => field.name)}
              onChange={(value) => set({ mappedFields: { ...oauth2.mappedFields, [name]: value ?? '' } })}
            />
          ))}
        </SideBySide>
      </Stack>
      {picking ? (
        <ProviderPicker
          taken={providers.map((provider) => provider.name)}
          onClose={() => setPicking(false)}
          onPick={(name) => {
            setPicking(false);
            setEditing({
              name,
              clientId: '',
              clientSecret: '',
              authURL: '',
              tokenURL: '',
              userInfoURL: '',
              displayName: '',
              pkce: null,
              extra: null,
            });
          }}
        />
      ) : null}
      {editing ? (
        <ProviderDialog
          provider={editing}
          title={nameOf(editing)}
          isNew={!stored(editing)}
          errorAt={(name) =>
            errors.at(`oauth2.providers.${providers.findIndex((each) => each.name === editing.name)}.${name}`)
          }
          onClose={() => setEditing(null)}
          onSave={(provider) => {
            set({
              enabled: oauth2.enabled || !providers.length,
              providers: stored(provider)
                ? providers.map((each) => (each.name === provider.name ? provider : each))
                : [...providers, provider],
            });
            setEditing(null);
          }}
        />
      ) : null}
    </Section>
  );
}
