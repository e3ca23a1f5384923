import { Button, Collapse, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useIsStored } from '../api/queries.js';
import { SecretInput } from './secret-input.js';
import { SettingsForm } from './settings-form.js';
import { TestMailDialog } from './test-mail-dialog.js';
import { useSettingsForm } from './use-settings-form.js';
import { SideBySide } from '../design/side-by-side.js';

/** Who mails come from and how they are sent (UI-64). */
export function MailScreen() {
  const form = useSettingsForm(['meta', 'smtp']);
  const isStored = useIsStored('smtpPassword');
  const [more, setMore] = useState(false);
  const [testing, setTesting] = useState(false);
  const smtp = form.settings?.smtp;
  return (
    <>
      <SettingsForm form={form}>
        {(settings) => (
          <>
            <SideBySide>
              <TextInput label="Sender name" required {...form.text('meta', 'senderName')} />
              <TextInput label="Sender address" required type="email" {...form.text('meta', 'senderAddress')} />
            </SideBySide>
            <Switch
              label="Use an SMTP server"
              description="Otherwise the server tries to send mails itself, which many providers treat as spam."
              {...form.toggle('smtp', 'enabled')}
            />
            <Collapse expanded={settings.smtp.enabled}>
              <Stack gap={14}>
                <SideBySide>
                  <TextInput label="SMTP host" required {...form.text('smtp', 'host')} />
                  <NumberInput
                    label="Port"
                    required
                    min={1}
                    max={65535}
                    hideControls
                    {...form.number('smtp', 'port')}
                  />
                </SideBySide>
                <SideBySide>
                  <TextInput label="User name" autoComplete="off" {...form.text('smtp', 'username')} />
                  <SecretInput
                    label="Password"
                    value={settings.smtp.password}
                    error={form.errors.at('smtp.password')}
                    isStored={isStored}
                    onChange={(password) => form.set('smtp', { password })}
                  />
                </SideBySide>
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
                  <SideBySide>
                    <Select
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
                      label="Auth method"
                      allowDeselect={false}
                      value={settings.smtp.authMethod || 'PLAIN'}
                      error={form.errors.at('smtp.authMethod')}
                      data={['PLAIN', 'LOGIN']}
                      onChange={(value) => form.set('smtp', { authMethod: value ?? '' })}
                    />
                    <TextInput label="EHLO name" placeholder="localhost" {...form.text('smtp', 'localName')} />
                  </SideBySide>
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
