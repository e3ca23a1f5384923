import { NumberInput, Switch } from '@mantine/core';
import { sizeText } from '../files/file-kind.js';
import type { SettingsSectionProps } from './section-props.js';
import classes from './settings.module.css';

/** Several writes in one request. */
export function BatchSection({ form }: SettingsSectionProps) {
  const size = Number(form.settings?.batch.maxBodySize);
  const number = (name: 'maxRequests' | 'timeout' | 'maxBodySize', label: string, about: string) => (
    <NumberInput label={label} description={about} min={0} allowDecimal={false} {...form.number('batch', name)} />
  );
  return (
    <>
      <Switch label="Enabled" {...form.toggle('batch', 'enabled')} />
      <div className={classes.limits}>
        {number('maxRequests', 'Max requests', 'In one batch')}
        {number('timeout', 'Timeout', 'Seconds')}
        {number('maxBodySize', 'Max body size', `Bytes${size ? `: ${sizeText(size)}` : ''}; 0: 128 MiB`)}
      </div>
    </>
  );
}
