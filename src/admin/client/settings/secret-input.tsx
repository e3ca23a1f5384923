import { Button, PasswordInput } from '@mantine/core';

interface SecretInputProps {
  readonly label: string;
  /** undefined keeps what is stored, '' clears it (OPS-4). */
  readonly value: string | undefined;
  readonly error?: string;
  /** Is there one that could be kept or cleared? */
  readonly isStored: boolean;
  readonly onChange: (value: string | undefined) => void;
}

/** A secret that the server never shows: left empty it keeps the stored one, and it can be cleared on purpose. */
export function SecretInput({ label, value, error, isStored, onChange }: SecretInputProps) {
  const clearing = value === '';
  return (
    <PasswordInput
      label={label}
      autoComplete="new-password"
      placeholder={clearing ? 'Will be cleared' : isStored ? 'Leave empty to keep the stored one' : undefined}
      value={value ?? ''}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide ${label.toLowerCase()}` }}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      description={
        isStored ? (
          <Button
            component="span"
            role="button"
            tabIndex={0}
            size="compact-xs"
            ml={-7}
            variant="subtle"
            color="gray"
            onClick={() => onChange(clearing ? undefined : '')}
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === ' ') onChange(clearing ? undefined : '');
            }}
          >
            {clearing ? 'Keep the stored one' : 'Clear the stored one'}
          </Button>
        ) : undefined
      }
      descriptionProps={{ component: 'div' } as never}
    />
  );
}
