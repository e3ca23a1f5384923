import { Button } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import { EmptyState } from '../design/states.js';
import { usePageTitle } from './use-page-title.js';

/** An address that leads nowhere, within the frame. */
export function NotFoundPage() {
  usePageTitle('Not found');
  return (
    <EmptyState
      icon={<IconMapQuestion size={22} />}
      title="There is nothing at this address"
      action={
        <Button component="a" href="#/" variant="default" size="xs">
          Go to the collections
        </Button>
      }
    >
      The link may be old, or what it pointed to was renamed or deleted.
    </EmptyState>
  );
}
