import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useRef } from 'react';
import { formatDateTime, parseDateTime } from '../../../kernel/date-time.js';
import classes from './moment-input.module.css';

interface MomentInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A moment in UTC, written in any form the server knows, such as `2030-01-01 10:00`, or chosen from a calendar. */
export function MomentInput({ value, onChange, ...rest }: MomentInputProps) {
  const picker = useRef<HTMLInputElement>(null);
  const moment = parseDateTime(value.trim());
  const settle = () => {
    const text = moment === undefined ? value.trim() : formatDateTime(moment);
    if (text !== value) onChange(text);
  };
  return (
    <TextInput
      {...rest}
      classNames={{ input: 'mono' }}
      spellCheck={false}
      value={value}
      error={
        rest.error ?? (value.trim() && moment === undefined ? 'No date and time, as 2030-01-01 10:00.' : undefined)
      }
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={settle}
      rightSection={
        <span className={classes.frame}>
          <input
            ref={picker}
            className={classes.picker}
            type="datetime-local"
            step={1}
            tabIndex={-1}
            aria-hidden
            value={moment === undefined ? '' : formatDateTime(moment).slice(0, 19).replace(' ', 'T')}
            onChange={(event) => {
              const chosen = parseDateTime(event.currentTarget.value);
              onChange(chosen === undefined ? '' : formatDateTime(chosen));
            }}
          />
          <ActionIcon
            aria-label={`Choose from a calendar: ${String(rest.label)}`}
            disabled={rest.disabled}
            onClick={() => picker.current?.showPicker()}
          >
            <IconCalendar size={15} />
          </ActionIcon>
        </span>
      }
    />
  );
}
