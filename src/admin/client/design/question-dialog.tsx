import './mantine-more-styles.js';
import { Button, Modal, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import type { Question } from './question.js';
import classes from './dialog.module.css';
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
      title={pending.title}
      centered
      size={440}
      classNames={{ content: classes.question, header: classes.header, title: classes.title, body: classes.answers }}
      overlayProps={{ backgroundOpacity: 0.36 }}
      zIndex={layer.zIndex + 5}
      closeOnEscape={layer.isTop}
      trapFocus={layer.isTop}
      lockScroll={layer.isTop}
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 100 }}
    >
      <form onSubmit={submit}>
        {pending.body ? <div className={classes.words}>{pending.body}</div> : null}
        {pending.typed === undefined ? null : (
          <TextInput
            className={classes.typed}
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
        <div className={classes.footer}>
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
        </div>
      </form>
    </Modal>
  );
}
