import { Collapse, Menu, NumberInput, Switch, TextInput, Button } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { DateView } from '../design/date-view.js';
import { SideBySide } from '../design/side-by-side.js';
import { nextRun } from '../settings/cron-next.js';
import { S3Inputs } from '../settings/s3-inputs.js';
import { SettingsForm } from '../settings/settings-form.js';
import { useSettingsForm } from '../settings/use-settings-form.js';

const PRESETS = [
  { label: 'Every day at 00:00', cron: '0 0 * * *' },
  { label: 'Every Sunday at 00:00', cron: '0 0 * * 0' },
  { label: 'Monday and Wednesday at 00:00', cron: '0 0 * * 1,3' },
  { label: 'The first of every month', cron: '0 0 1 * *' },
];

/** When backups are made by themselves, how many are kept, and where. */
export function BackupOptions() {
  const form = useSettingsForm(['backups']);
  return (
    <SettingsForm form={form}>
      {({ backups }) => {
        const next = backups.cron ? nextRun(backups.cron, new Date()) : undefined;
        return (
          <>
            <Switch
              label="Make backups automatically"
              checked={backups.cron !== ''}
              onChange={(event) => form.set('backups', { cron: event.currentTarget.checked ? PRESETS[0]!.cron : '' })}
            />
            <Collapse expanded={backups.cron !== ''}>
              <SideBySide>
                <TextInput
                  label="Schedule (cron, UTC)"
                  description="Minute, hour, day, month, weekday. Lists 1,3; ranges 1-5; steps */10; or @daily, @weekly, @monthly."
                  classNames={{ input: 'mono' }}
                  {...form.text('backups', 'cron')}
                  rightSectionWidth={90}
                  rightSection={
                    <Menu position="bottom-end">
                      <Menu.Target>
                        <Button
                          size="compact-xs"
                          variant="subtle"
                          color="gray"
                          rightSection={<IconChevronDown size={12} />}
                        >
                          Presets
                        </Button>
                      </Menu.Target>
                      <Menu.Dropdown>
                        {PRESETS.map(({ label, cron }) => (
                          <Menu.Item
                            key={cron}
                            onClick={() => form.set('backups', { cron })}
                            rightSection={<span className="mono">{cron}</span>}
                          >
                            {label}
                          </Menu.Item>
                        ))}
                      </Menu.Dropdown>
                    </Menu>
                  }
                />
                <NumberInput
                  label="How many to keep"
                  description="The oldest automatic ones go first."
                  min={1}
                  {...form.number('backups', 'cronMaxKeep')}
                />
              </SideBySide>
              {next ? (
                <p className="hint">
                  Next run <DateView value={next.toISOString().replace('T', ' ')} />
                </p>
              ) : null}
            </Collapse>
            <Switch
              label="Keep backups on S3"
              checked={backups.s3.enabled}
              onChange={(event) => form.set('backups', { s3: { ...backups.s3, enabled: event.currentTarget.checked } })}
            />
            <Collapse expanded={backups.s3.enabled}>
              <S3Inputs
                value={backups.s3}
                filesystem="backups"
                canTest={!form.dirty && backups.s3.enabled}
                errorAt={(name) => form.errors.at(`backups.s3.${name}`)}
                onChange={(change) => form.set('backups', { s3: { ...backups.s3, ...change } })}
              />
            </Collapse>
          </>
        );
      }}
    </SettingsForm>
  );
}
