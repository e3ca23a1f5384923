import { Alert } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';

/** A failure in a form, announced to screen readers. */
export function ErrorNote({ message }: { message: string | null | undefined }) {
  if (!message) return null;
  return (
    <Alert role="alert" color="red.8" variant="light" icon={<IconAlertCircle size={18} />} mb="sm" p="xs">
      <span style={{ color: 'var(--danger)' }}>{message}</span>
    </Alert>
  );
}
