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
              <TextInput miw={220} label="Sender name" required {...form.text('meta', 'senderName')} />
              <TextInput
                miw={220}
                label="Sender address"
                required
                type="email"
                {...form.text('meta', 'senderAddress')}
              />
            </Group>
            <Switch
              label="Use an SMTP server"
              description="Otherwise the server tries to send mails itself, which many providers treat as spam."
              {...form.toggle('smtp', 'enabled')}
            />
            <Collapse expanded={settings.smtp.enabled}>
              <Stack gap={14}>
                <Group grow align="flex-start" preventGrowOverflow={false}>
                  <TextInput miw={220} label="SMTP host" required {...form.text('smtp', 'host')} />
                  <NumberInput
                    label="Port"
                    required
                    min={1}
                    max={65535}
                    hideControls
                    {...form.number('smtp', 'port')}
                  />
                </Group>
                <Group grow align="flex-start" preventGrowOverflow={false}>
                  <TextInput miw={220} label="User name" autoComplete="off" {...form.text('smtp', 'username')} />
                  <SecretInput
                    label="Password"
                    value={settings.smtp.password}
                    error={form.errors.at('smtp.password')}
                    onChange={(password) => form.set('smtp', { password })}
                  />
                </Group>
                <Button
                  size="compact-sm"
                  ml={-8}
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
                      {...form.text('smtp', 'localName')}
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
