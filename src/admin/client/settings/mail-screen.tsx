import { Button, Collapse, Group, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { SecretInput } from './secret-input.js';
import { SettingsForm } from './settings-form.js';
import { TestMailDialog } from './test-mail-dialog.js';
import { useSettingsForm } from './use-settings-form.js';

/** Who mails come from and how they are sent (UI-64). */
export function MailScreen() {
  const form = useSettingsForm(['meta', 'smtp']);
  const [more, setMore] = useState(false);
  const [testing, setTesting] = useState(false);
  const smtp = form.settings?.smtp;
  return (
    <>
      <SettingsForm form={form}>
        {(settings) => (
          <>
            <Group grow align="flex-start" preventGrowOverflow={false}>
              <TextInput
                miw={220}
                label="Sender name"
                required
                value={settings.meta.senderName}
                error={form.errors.at('meta.senderName')}
                onChange={(event) => form.set('meta', { senderName: event.currentTarget.value })}
              />
              <TextInput
                miw={220}
                label="Sender address"
                required
                type="email"
                value={settings.meta.senderAddress}
                error={form.errors.at('meta.senderAddress')}
                onChange={(event) => form.set('meta', { senderAddress: event.currentTarget.value })}
              />
            </Group>
            <Switch
              label="Use an SMTP server"
              description="Otherwise the server tries to send mails itself, which many providers treat as spam."
              checked={settings.smtp.enabled}
              onChange={(event) => form.set('smtp', { enabled: event.currentTarget.checked })}
            />
            <Collapse expanded={settings.smtp.enabled}>
              <Stack gap={14}>
                <Group grow align="flex-start" preventGrowOverflow={false}>
                  <TextInput
                    miw={220}
                    label="SMTP host"
                    required
                    value={settings.smtp.host}
                    error={form.errors.at('smtp.host')}
                    onChange={(event) => form.set('smtp', { host: event.currentTarget.value })}
                  />
                  <NumberInput
                    label="Port"
                    required
                    min={1}
                    max={65535}
                    hideControls
                    value={settings.smtp.port}
                    error={form.errors.at('smtp.port')}
                    onChange={(value) => form.set('smtp', { port: Number(value) || 0 })}
                  />
                </Group>
                <Group grow align="flex-start" preventGrowOverflow={false}>
                  <TextInput
                    miw={220}
                    label="User name"
                    autoComplete="off"
                    value={settings.smtp.username}
                    error={form.errors.at('smtp.username')}
                    onChange={(event) => form.set('smtp', { username: event.currentTarget.value })}
                  />
                  <SecretInput
                    label="Password"
                    value={settings.smtp.password}
                    error={form.errors.at('smtp.password')}
                    onChange={(password) => form.set('smtp', { password })}
                  />
                </Group>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  aria-expanded={more}
                  onClick={() => setMore(!more)}
                  style={{ alignSelf: 'flex-start' }}
                >
                  {more ? 'Less' : 'More'}
                </Button>
                <Collapse expanded={more || form.errors.under('smtp.localName')}>
                  <Group grow align="flex-start" preventGrowOverflow={false}>
                    <Select
                      miw={150}
                      label="Encryption (TLS)"
                      allowDeselect={false}
                      value={settings.smtp.tls ? 'always' : 'auto'}
                      data={[
                        { value: 'auto', label: 'Auto (StartTLS)' },
                        { value: 'always', label: 'Always' },
                      ]}
                      onChange={(value) => form.set('smtp', { tls: value === 'always' })}
                    />
                    <Select
                      miw={150}
                      label="Auth method"
                      allowDeselect={false}
                      value={settings.smtp.authMethod || 'PLAIN'}
                      error={form.errors.at('smtp.authMethod')}
                      data={['PLAIN', 'LOGIN']}
                      onChange={(value) => form.set('smtp', { authMethod: value ?? '' })}
                    />
                    <TextInput
                      miw={150}
                      label="EHLO name"
                      placeholder="localhost"
                      value={settings.smtp.localName}
                      error={form.errors.at('smtp.localName')}
                      onChange={(event) => form.set('smtp', { localName: event.currentTarget.value })}
                    />
                  </Group>
                </Collapse>
              </Stack>
            </Collapse>
          </>
        )}
      </SettingsForm>
      {smtp ? (
        <Button
          variant="default"
          leftSection={<IconSend size={15} />}
          disabled={form.dirty}
          onClick={() => setTesting(true)}
        >
          Send test e-mail
        </Button>
      ) : null}
      {form.dirty ? <p className="hint">Save first: the test uses what is stored.</p> : null}
      {testing ? <TestMailDialog onClose={() => setTesting(false)} /> : null}
    </>
  );
}
