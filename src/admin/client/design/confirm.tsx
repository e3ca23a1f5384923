import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { createContext, useCallback, useContext, useState, type FormEvent, type ReactNode } from 'react';
import { useLayer } from './layers.js';

export interface Question {
  readonly title: string;
  readonly body?: ReactNode;
  /** The words on the button that goes on: what happens, never "OK". */
  readonly action: string;
  readonly danger?: boolean;
  /** A text that must be typed before the button works. */
  readonly typed?: string;
}

type Ask = (question: Question) => Promise<boolean>;

const ConfirmContext = createContext<Ask | null>(null);

interface Pending extends Question {
  readonly resolve: (answer: boolean) => void;
}

function QuestionDialog({ pending, onDone }: { pending: Pending; onDone: (answer: boolean) => void }) {
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

/** Asks questions before what cannot be undone. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [pending, setPending] = useState<Pending | null>(null);
  const ask = useCallback<Ask>((question) => new Promise((resolve) => setPending({ ...question, resolve })), []);
  const done = (answer: boolean) => {
    pending?.resolve(answer);
    setPending(null);
  };
  return (
    <ConfirmContext.Provider value={ask}>
      {children}
      {pending ? <QuestionDialog pending={pending} onDone={done} /> : null}
    </ConfirmContext.Provider>
  );
}

/** A function that shows a question and resolves to the answer. */
export function useConfirm(): Ask {
  const ask = useContext(ConfirmContext);
  if (!ask) throw new Error('useConfirm needs a ConfirmProvider.');
  return ask;
}
