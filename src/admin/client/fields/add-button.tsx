import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './fields.module.css';

interface AddButtonProps {
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** The foot of a box of things, which adds one. */
export function AddButton({ disabled, onClick, children }: AddButtonProps) {
  return (
    <div className={classes.boxFoot}>
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        fullWidth
        leftSection={<IconPlus size={15} />}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </Button>
    </div>
  );
}
