import { Button, Divider, Group, PasswordInput, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { serverUrl } from '../api/api.js';
import type { ProviderModel } from '../api/collection-model.js';
import { CopyButton } from '../design/copy-button.js';
import { Dialog } from '../design/dialog.js';
import { AppleSecret } from './apple-secret.js';

interface ProviderDialogProps {
  readonly provider: ProviderModel;
  readonly title: string;
  readonly isNew: boolean;
  readonly errorAt: (name: string) => string | undefined;
  readonly onSave: (provider: ProviderModel) => void;
  readonly onClose: () => void;
}

const SELF_HOSTED = new Set(['gitlab', 'gitea', 'mailcow', 'microsoft']);
const MICROSOFT_CLAIMS = [
  { value: '', label: 'Mail of the Graph profile' },
  { value: 'email', label: 'email of the id token' },
  { value: 'email_and_xms_edov', label: 'email of the id token, if its domain is verified' },
  { value: 'verified_primary_email', label: 'verified_primary_email' },
  { value: 'any_verified', label: 'Any verified one' },
];

/** The settings of one OAuth2 provider, with what is particular to it (AUTH-1606). */
export function ProviderDialog({ provider, title, isNew, errorAt, onSave, onClose }: ProviderDialogProps) {
  const [form, setForm] = useState(provider);
  const isOidc = form.name.startsWith('oidc');
  const [fromToken, setFromToken] = useState(isOidc && !isNew && !provider.userInfoURL);
  const set = (change: Partial<ProviderModel>) => setForm((current) => ({ ...current, ...change }));
  const extra = (form.extra ?? {}) as { jwksURL?: string; issuers?: string[]; idTokenEmailClaim?: string };
  const setExtra = (change: object) => set({ extra: { ...form.extra, ...change } });
  const bind = (name: 'clientId' | 'authURL' | 'tokenURL' | 'userInfoURL' | 'displayName') => ({
    value: form[name] ?? '',
    error: errorAt(name),
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onSave(isOidc && fromToken ? { ...form, userInfoURL: '' } : form);
  };
  const redirect = `${serverUrl()}/api/oauth2-redirect`;
  const endpoints = isOidc || SELF_HOSTED.has(form.name);
  return (
    <Dialog opened onClose={onClose} title={title} size={560}>
      <form onSubmit={submit}>
        <Stack gap={14}>
          {isOidc ? (
            <TextInput label="Display name" description="Shown on sign-in buttons." {...bind('displayName')} />
          ) : null}
          <TextInput
            label="Redirect URL"
            description="Register this one with the provider. Clients with a redirect of their own register theirs."
            classNames={{ input: 'mono' }}
            readOnly
            value={redirect}
            rightSection={<CopyButton value={redirect} label="Copy the redirect URL" />}
          />
          <TextInput label="Client id" required autoComplete="off" data-autofocus {...bind('clientId')} />
          <PasswordInput
            label="Client secret"
            required={isNew}
            autoComplete="new-password"
            placeholder={isNew ? undefined : 'Stored; leave empty to keep it'}
            value={form.clientSecret ?? ''}
            error={errorAt('clientSecret')}
            onChange={(event) => {
              const secret = event.currentTarget.value;
              // An absent secret keeps the stored one, an empty one would erase it (COL-7).
              set({ clientSecret: secret === '' && !isNew ? undefined : secret });
            }}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
          />
          {form.name === 'apple' ? (
            <AppleSecret clientId={form.clientId} onSecret={(clientSecret) => set({ clientSecret })} />
          ) : null}
          {endpoints ? (
            <>
              <Divider label={isOidc ? 'Endpoints' : 'Endpoints, when self-hosted or of one tenant'} />
              <TextInput label="Authorization URL" required={isOidc} type="url" {...bind('authURL')} />
              <TextInput label="Token URL" required={isOidc} type="url" {...bind('tokenURL')} />
            </>
          ) : null}
          {isOidc ? (
            <Select
              label="Where the user comes from"
              allowDeselect={false}
              value={fromToken ? 'token' : 'url'}
              data={[
                { value: 'url', label: 'User info URL' },
                { value: 'token', label: 'id_token' },
              ]}
              onChange={(value) => setFromToken(value === 'token')}
            />
          ) : null}
          {endpoints && !(isOidc && fromToken) ? (
            <TextInput label="User info URL" type="url" {...bind('userInfoURL')} />
          ) : null}
          {isOidc && fromToken ? (
            <>
              <TextInput
                label="Key set (JWKS) URL"
                description="Empty: the signature is not checked."
                type="url"
                value={extra.jwksURL ?? ''}
                onChange={(event) => setExtra({ jwksURL: event.currentTarget.value })}
              />
              <TagsInput
                label="Issuers"
                description="Empty: any issuer."
                value={extra.issuers ?? []}
                onChange={(issuers) => setExtra({ issuers })}
              />
            </>
          ) : null}
          {form.name === 'microsoft' ? (
            <Select
              label="E-mail from"
              allowDeselect={false}
              value={extra.idTokenEmailClaim ?? ''}
              data={MICROSOFT_CLAIMS}
              onChange={(value) => setExtra({ idTokenEmailClaim: value ?? '' })}
            />
          ) : null}
          {form.name === 'lark' ? (
            <Switch
              label="Use larksuite.com"
              description="Lark outside of China."
              checked={form.authURL.includes('larksuite.com')}
              onChange={(event) =>
                set(
                  event.currentTarget.checked
                    ? {
                        authURL: 'https://accounts.larksuite.com/open-apis/authen/v1/authorize',
                        tokenURL: 'https://open.larksuite.com/open-apis/authen/v2/oauth/token',
                        userInfoURL: 'https://open.larksuite.com/open-apis/authen/v1/user_info',
                      }
                    : { authURL: '', tokenURL: '', userInfoURL: '' },
                )
              }
            />
          ) : null}
          {isOidc ? (
            <Switch
              label="PKCE"
              description="Off only for providers that refuse it."
              checked={form.pkce !== false}
              onChange={(event) => set({ pkce: event.currentTarget.checked })}
            />
          ) : null}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">Set provider</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
