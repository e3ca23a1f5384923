import './mantine-more-styles.js';
import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import type { Question } from './confirm.js';
import { useLayer } from './layers.js';

/** One question with its two answers. */
export function QuestionDialog({ pending, onDone }: { pending: Question; onDone: (answer: boolean) => void }) {
  const layer = useLayer(true);
  const [typed, setTyped] = useState('');
  const blocked = pending.typed !== undefined && typed !== pending.typed;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (!blocked) onDone(true);
  };
  return (
    <Modal
      opened
      onClose={() => onDone(false)}
      title={<Text fw={600}>{pending.title}</Text>}
      centered
      size={440}
      radius={12}
      zIndex={layer.zIndex + 5}
      closeOnEscape={layer.isTop}
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 100 }}
    >
      <form onSubmit={submit}>
        {pending.body ? (
          <Text size="sm" c="var(--ink-2)" component="div">
            {pending.body}
          </Text>
        ) : null}
        {pending.typed === undefined ? null : (
          <TextInput
            mt="md"
            data-autofocus
            label={
              <>
                Type <span className="mono">{pending.typed}</span> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
        <Group justify="flex-end" mt="lg" gap={8}>
          <Button variant="default" onClick={() => onDone(false)}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={pending.danger ? 'red.9' : undefined}
            disabled={blocked}
            data-autofocus={pending.typed === undefined ? true : undefined}
          >
            {pending.action}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
