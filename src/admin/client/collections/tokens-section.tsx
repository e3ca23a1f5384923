import { Button, Group, NumberInput } from '@mantine/core';
import { durationText } from '../design/duration-text.js';
import { Section } from '../design/section.js';
import { toastInfo } from '../design/toast.js';
import type { AuthSectionProps } from './draft-tab-props.js';

const TOKENS = [
  { name: 'authToken', label: 'Session', superusers: true },
  { name: 'emailChangeToken', label: 'E-mail change', superusers: false },
  { name: 'verificationToken', label: 'Verification', superusers: false },
  { name: 'passwordResetToken', label: 'Password reset', superusers: true },
  { name: 'fileToken', label: 'Protected files', superusers: true },
] as const;

function randomSecret(): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_';
  return [...crypto.getRandomValues(new Uint8Array(50))]
    .map((byte) => alphabet[byte & 63])
    .join('')
    .replaceAll('-', 'A')
    .replaceAll('_', 'z');
}

/** How long tokens live, and a way to end all that were issued. */
export function TokensSection({ collection, patch, errors }: AuthSectionProps) {
  const shown = TOKENS.filter((each) => each.superusers || collection.name !== '_superusers');
  return (
    <Section title="Tokens" failed={shown.some((each) => errors.under(each.name))}>
      {shown.map(({ name, label }) => (
        <Group key={name} gap={8} align="flex-end" wrap="nowrap">
          <NumberInput
            flex={1}
            label={
              <>
                {label} (seconds){' '}
                <span className="hint" style={{ whiteSpace: 'nowrap' }}>
                  {durationText(Number(collection[name].duration))}
                </span>
              </>
            }
            min={10}
            max={94_670_856}
            allowDecimal={false}
            value={collection[name].duration}
            error={errors.at(`${name}.duration`) ?? errors.at(`${name}.secret`)}
            onChange={(value) => {
              errors.clear(name);
              patch(name, { duration: Number(value) || 0 });
            }}
          />
          <Button
            variant="default"
            disabled={Boolean(collection[name].secret)}
            onClick={() => {
              patch(name, { secret: randomSecret() });
              toastInfo('All tokens of this kind end when you save.');
            }}
          >
            {collection[name].secret ? 'Ends on save' : 'Invalidate all'}
          </Button>
        </Group>
      ))}
    </Section>
  );
}
