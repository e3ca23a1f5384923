import { Group, NumberInput, Switch } from '@mantine/core';
import type { SettingsSectionProps } from './application-screen.js';

/** Several writes in one request. */
export function BatchSection({ form }: SettingsSectionProps) {
  const number = (name: 'maxRequests' | 'timeout' | 'maxBodySize', label: string, about: string) => (
    <NumberInput
      miw={150}
      label={label}
      description={about}
      min={0}
      allowDecimal={false}
      {...form.number('batch', name)}
    />
  );
  return (
    <>
      <Switch label="Enabled" {...form.toggle('batch', 'enabled')} />
      <Group grow align="flex-end" preventGrowOverflow={false}>
        {number('maxRequests', 'Most requests', 'In one batch')}
        {number('timeout', 'Longest time', 'Seconds')}
        {number('maxBodySize', 'Largest body', 'Bytes; 0: 128 MiB')}
      </Group>
    </>
  );
}
