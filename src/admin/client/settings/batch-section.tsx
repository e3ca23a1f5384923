import { Group, NumberInput, Switch } from '@mantine/core';
import type { SettingsSectionProps } from './application-screen.js';

/** Several writes in one request. */
export function BatchSection({ form }: SettingsSectionProps) {
  const { batch } = form.settings!;
  const number = (name: 'maxRequests' | 'timeout' | 'maxBodySize', label: string, about: string) => (
    <NumberInput
      miw={150}
      label={label}
      description={about}
      min={0}
      allowDecimal={false}
      value={batch[name]}
      error={form.errors.at(`batch.${name}`)}
      onChange={(value) => form.set('batch', { [name]: Number(value) || 0 })}
    />
  );
  return (
    <>
      <Switch
        label="Enabled"
        checked={batch.enabled}
        onChange={(event) => form.set('batch', { enabled: event.currentTarget.checked })}
      />
      <Group grow align="flex-end" preventGrowOverflow={false}>
        {number('maxRequests', 'Most requests', 'In one batch')}
        {number('timeout', 'Longest time', 'Seconds')}
        {number('maxBodySize', 'Largest body', 'Bytes; 0: 128 MiB')}
      </Group>
    </>
  );
}
