import { NumberInput } from '@mantine/core';
import type { SettingsSectionProps } from './section-props.js';
import classes from './settings.module.css';

/** How many realtime streams may be open at the same time. */
export function RealtimeSection({ form }: SettingsSectionProps) {
  const number = (name: 'maxStreamsPerIP' | 'maxStreamsPerAccount', label: string, about: string) => (
    <NumberInput label={label} description={about} min={0} allowDecimal={false} {...form.number('realtime', name)} />
  );
  return (
    <>
      <p className="hint">
        Every open tab and app that listens for changes is a stream. One more than these answers 429; 0: no limit.
      </p>
      <div className={classes.limits}>
        {number('maxStreamsPerIP', 'Max streams per address', 'People behind one router or proxy share theirs')}
        {number('maxStreamsPerAccount', 'Max streams per account', 'Guests are not counted')}
      </div>
    </>
  );
}
