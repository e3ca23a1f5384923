import { Button, Group, MultiSelect, NumberInput, Switch } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { parseIndex, uniqueColumn } from '../../../kernel/collections/index-definition.js';
import type { AuthModel, CollectionModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { Section } from '../design/section.js';
import { bodyOfDraft } from './collection-draft.js';
import type { AuthSectionProps, DraftTabProps } from './draft-tab-props.js';
import { OAuth2Section } from './oauth2-section.js';
import { RuleInput } from './rule-input.js';
import { TemplateInput } from './template-input.js';
import { TokensSection } from './tokens-section.js';

const TestMailDialog = lazy(async () => ({
  default: (await import('../settings/test-mail-dialog.js')).TestMailDialog,
}));

function uniqueFields(collection: CollectionModel): string[] {
  return collection.indexes.flatMap((text) => {
    const index = parseIndex(text);
    const column = index ? uniqueColumn(index) : undefined;
    return column && column.name !== 'tokenKey' ? [column.name] : [];
  });
}

function onOff(on: boolean): string {
  return on ? 'Enabled' : 'Disabled';
}

function PasswordSection({ collection, patch, errors }: AuthSectionProps) {
  const { passwordAuth } = collection;
  return (
    <Section
      title="Identity and password"
      state={onOff(passwordAuth.enabled)}
      on={passwordAuth.enabled}
      failed={errors.under('passwordAuth')}
    >
      <Switch
        label="Enabled"
        checked={passwordAuth.enabled}
        disabled={collection.name === '_superusers'}
        onChange={(event) => patch('passwordAuth', { enabled: event.currentTarget.checked })}
      />
      <MultiSelect
        label="Identity fields"
        description="What can be entered as the user name. Only fields with a unique index of their own."
        data={[...new Set([...uniqueFields(collection), ...passwordAuth.identityFields])]}
        value={passwordAuth.identityFields}
        error={errors.at('passwordAuth.identityFields')}
        onChange={(identityFields) => {
          errors.clear('passwordAuth');
          patch('passwordAuth', { identityFields });
        }}
      />
    </Section>
  );
}

function OtpSection({ collection, patch, errors }: AuthSectionProps) {
  const { otp } = collection;
  const set = (change: object) => {
    errors.clear('otp');
    patch('otp', change);
  };
  return (
    <Section title="One-time codes (OTP)" state={onOff(otp.enabled)} on={otp.enabled} failed={errors.under('otp')}>
      <Switch
        label="Enabled"
        description={
          collection.name === '_superusers' ? 'Only as the second step: MFA is switched on with it.' : undefined
        }
        checked={otp.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <Group grow align="flex-start">
        <NumberInput
          label="Valid for (seconds)"
          min={10}
          max={86400}
          value={otp.duration}
          error={errors.at('otp.duration')}
          onChange={(value) => set({ duration: Number(value) || 0 })}
        />
        <NumberInput
          label="Digits"
          min={4}
          max={71}
          value={otp.length}
          error={errors.at('otp.length')}
          onChange={(value) => set({ length: Number(value) || 0 })}
        />
      </Group>
      <TemplateInput
        label="Mail with the code"
        path="otp.emailTemplate"
        errors={errors}
        placeholders={['{OTP}', '{OTP_ID}']}
        collection={collection}
        value={otp.emailTemplate}
        onChange={(emailTemplate) => set({ emailTemplate })}
      />
    </Section>
  );
}

function MfaSection({ collection, patch, errors }: AuthSectionProps) {
  const { data: collections = [] } = useCollections();
  const { mfa } = collection;
  const set = (change: object) => {
    errors.clear('mfa');
    patch('mfa', change);
  };
  return (
    <Section title="Two steps (MFA)" state={onOff(mfa.enabled)} on={mfa.enabled} failed={errors.under('mfa')}>
      <Switch
        label="Enabled"
        description="Needs two of: password, OAuth2, one-time codes."
        checked={mfa.enabled}
        error={errors.at('mfa.enabled')}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <NumberInput
        label="Time between the steps (seconds)"
        min={10}
        max={86400}
        value={mfa.duration}
        error={errors.at('mfa.duration')}
        onChange={(value) => set({ duration: Number(value) || 0 })}
      />
      <RuleInput
        label="MFA"
        about="Whose sign-in takes two steps. Empty: everyone's."
        lockedText=""
        value={mfa.rule ?? ''}
        error={errors.at('mfa.rule')}
        collection={collection}
        collections={collections}
        onChange={(rule) => set({ rule: rule ?? '' })}
      />
    </Section>
  );
}

function MailsSection({ collection, patch, errors }: AuthSectionProps) {
  const [testing, setTesting] = useState(false);
  const templates = [
    { name: 'verificationTemplate', label: 'Verification', superusers: false },
    { name: 'resetPasswordTemplate', label: 'Password reset', superusers: true },
    { name: 'confirmEmailChangeTemplate', label: 'E-mail change', superusers: false },
  ] as const;
  const shown = templates.filter((each) => each.superusers || collection.name !== '_superusers');
  return (
    <Section title="Mails" failed={shown.some((each) => errors.under(each.name)) || errors.under('authAlert')}>
      {shown.map(({ name, label }) => (
        <TemplateInput
          key={name}
          label={label}
          path={name}
          errors={errors}
          placeholders={['{TOKEN}']}
          collection={collection}
          value={collection[name]}
          onChange={(value) => patch(name, value)}
        />
      ))}
      <Switch
        label="Tell users about sign-ins from new places"
        checked={collection.authAlert.enabled}
        onChange={(event) => patch('authAlert', { enabled: event.currentTarget.checked })}
      />
      <TemplateInput
        label="Sign-in from a new place"
        path="authAlert.emailTemplate"
        errors={errors}
        placeholders={['{ALERT_INFO}']}
        collection={collection}
        value={collection.authAlert.emailTemplate}
        onChange={(emailTemplate) => patch('authAlert', { emailTemplate })}
      />
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconSend size={14} />}
          disabled={!collection.id}
          onClick={() => setTesting(true)}
        >
          Send test mail
        </Button>
        {collection.id ? <p className="hint">Sent with the stored texts: save first.</p> : null}
      </div>
      {testing ? (
        <Suspense fallback={null}>
          <TestMailDialog initialCollection={collection.id} onClose={() => setTesting(false)} />
        </Suspense>
      ) : null}
    </Section>
  );
}

/** The options of an auth collection (UI-45, AUTH-1606). */
export function OptionsTab({ draft, setDraft, errors }: DraftTabProps) {
  const collection = bodyOfDraft(draft) as CollectionModel & AuthModel;
  const patch: AuthSectionProps['patch'] = (name, change) =>
    setDraft((current) => ({
      ...current,
      collection: { ...current.collection, [name]: { ...(current.collection[name] as object), ...change } },
    }));
  const props = { collection, patch, errors };
  return (
    <>
      <PasswordSection {...props} />
      {collection.name === '_superusers' ? null : <OAuth2Section {...props} />}
      <OtpSection {...props} />
      <MfaSection {...props} />
      <MailsSection {...props} />
      <TokensSection {...props} />
    </>
  );
}
