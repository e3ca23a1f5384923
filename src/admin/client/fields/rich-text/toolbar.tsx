import { Button, ColorInput, Menu, Popover, Stack, TextInput } from '@mantine/core';
import {
  IconAlignCenter,
  IconAlignJustified,
  IconAlignLeft,
  IconAlignRight,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconBlockquote,
  IconBold,
  IconChevronDown,
  IconClearFormatting,
  IconCode,
  IconCodeDots,
  IconColumnInsertRight,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconMovie,
  IconPalette,
  IconPhoto,
  IconRowInsertBottom,
  IconStrikethrough,
  IconTable,
  IconTextDirectionLtr,
  IconTextDirectionRtl,
  IconUnderline,
  type Icon,
} from '@tabler/icons-react';
import type { Editor } from '@tiptap/core';
import { useEditorState } from '@tiptap/react';
import { TextSelection } from '@tiptap/pm/state';
import { addColumnAfter, addRowAfter, deleteColumn, deleteRow, deleteTable } from '@tiptap/pm/tables';
import { useState, type ComponentPropsWithRef } from 'react';
import { IconButton } from '../../design/icon-button.js';
import { useRovingFocus } from '../../design/use-roving-focus.js';
import classes from '../fields.module.css';
import { isElsewhere } from './is-elsewhere.js';

interface ToolbarProps {
  readonly editor: Editor;
  readonly full: boolean;
  readonly onFull: () => void;
  readonly source: boolean;
  /** Undefined where the text can only be edited as HTML. */
  readonly onSource: (() => void) | undefined;
  readonly onPickFile: () => void;
}

interface ToolProps extends ComponentPropsWithRef<'button'> {
  readonly icon: Icon;
  readonly label: string;
  readonly active?: boolean;
}

function Tool({ icon: Sign, label, active, ...rest }: ToolProps) {
  return (
    <IconButton
      data-tip
      size={26}
      aria-label={label}
      aria-pressed={active}
      // The focus, and with it the selection, stays in the text.
      onMouseDown={(event) => event.preventDefault()}
      {...rest}
    >
      <Sign size={16} stroke={1.7} />
    </IconButton>
  );
}

function LinkTool({ editor, active }: { editor: Editor; active: boolean }) {
  const [opened, setOpened] = useState(false);
  const [href, setHref] = useState('');
  const apply = () => {
    const chain = editor.chain().focus().extendMarkRange('link');
    if (href.trim()) chain.setLink({ href: href.trim(), target: '_blank', rel: 'noopener' }).run();
    else chain.unsetLink().run();
    setOpened(false);
  };
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus width={300}>
      <Popover.Target>
        <Tool
          icon={IconLink}
          label="Link"
          active={active}
          onClick={() => {
            setHref(String(editor.getAttributes('link').href ?? ''));
            setOpened(!opened);
          }}
        />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={8}>
          <TextInput
            label="Address"
            placeholder="https://"
            data-autofocus
            value={href}
            onChange={(event) => setHref(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                event.preventDefault();
                apply();
              }
            }}
          />
          <Button size="xs" onClick={apply}>
            {href.trim() ? 'Set link' : 'Remove link'}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function MediaTool({ editor, onPickFile }: { editor: Editor; onPickFile: () => void }) {
  const [opened, setOpened] = useState(false);
  const [src, setSrc] = useState('');
  const insert = (type: 'image' | 'video' | 'audio') => {
    editor.chain().focus().insertContent({ type, attrs: { src } }).run();
    setOpened(false);
    setSrc('');
  };
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus width={320}>
      <Popover.Target>
        <Tool icon={IconPhoto} label="Image or media" onClick={() => setOpened(!opened)} />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={8}>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPhoto size={14} />}
            onClick={() => {
              setOpened(false);
              onPickFile();
            }}
          >
            From a record file
          </Button>
          <TextInput
            label="Or from an address"
            placeholder="https://"
            description={
              isElsewhere(src, window.location.href)
                ? 'Kept, but not shown here: this page loads nothing from other servers.'
                : undefined
            }
            value={src}
            onChange={(event) => setSrc(event.currentTarget.value)}
          />
          <Button.Group>
            {(['image', 'video', 'audio'] as const).map((type) => (
              <Button
                key={type}
                size="xs"
                variant="default"
                flex={1}
                disabled={!src.trim()}
                leftSection={type === 'image' ? <IconPhoto size={14} /> : <IconMovie size={14} />}
                onClick={() => insert(type)}
              >
                {type}
              </Button>
            ))}
          </Button.Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function ColourTool({ editor }: { editor: Editor }) {
  const [opened, setOpened] = useState(false);
  const set = (mark: 'textColor' | 'backColor', value: string) => {
    if (value) editor.chain().focus().setMark(mark, { value }).run();
    else editor.chain().focus().unsetMark(mark).run();
  };
  return (
    <Popover opened={opened} onChange={setOpened} width={230}>
      <Popover.Target>
        <Tool icon={IconPalette} label="Colours" onClick={() => setOpened(!opened)} />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={8}>
          <ColorInput
            label="Text"
            size="xs"
            popoverProps={{ withinPortal: false }}
            value={String(editor.getAttributes('textColor').value ?? '')}
            onChangeEnd={(value) => set('textColor', value)}
            eyeDropperButtonProps={{ 'aria-label': 'Pick a colour' }}
          />
          <ColorInput
            label="Background"
            size="xs"
            popoverProps={{ withinPortal: false }}
            value={String(editor.getAttributes('backColor').value ?? '')}
            onChangeEnd={(value) => set('backColor', value)}
            eyeDropperButtonProps={{ 'aria-label': 'Pick a colour' }}
          />
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            onClick={() => {
              set('textColor', '');
              set('backColor', '');
            }}
          >
            Remove colours
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function TableTool({ editor, inTable }: { editor: Editor; inTable: boolean }) {
  const cell = (type: 'tableHeader' | 'tableCell') => ({ type, content: [{ type: 'paragraph' }] });
  const row = (type: 'tableHeader' | 'tableCell') => ({
    type: 'tableRow',
    content: [cell(type), cell(type), cell(type)],
  });
  const run = (command: typeof addRowAfter) => command(editor.state, editor.view.dispatch);
  return (
    <Menu>
      <Menu.Target>
        <Tool icon={IconTable} label="Table" active={inTable} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconTable size={15} />}
          onClick={() =>
            editor
              .chain()
              .focus()
              .insertContent({ type: 'table', content: [row('tableHeader'), row('tableCell'), row('tableCell')] })
              .command(({ tr }) => {
                // One begins in the first cell.
                const { $from } = tr.selection;
                for (let depth = $from.depth; depth > 0; depth -= 1) {
                  if ($from.node(depth).type.name !== 'table') continue;
                  tr.setSelection(TextSelection.near(tr.doc.resolve($from.start(depth))));
                  break;
                }
                return true;
              })
              .run()
          }
        >
          Insert table
        </Menu.Item>
        <Menu.Item disabled={!inTable} leftSection={<IconRowInsertBottom size={15} />} onClick={() => run(addRowAfter)}>
          Add row
        </Menu.Item>
        <Menu.Item
          disabled={!inTable}
          leftSection={<IconColumnInsertRight size={15} />}
          onClick={() => run(addColumnAfter)}
        >
          Add column
        </Menu.Item>
        <Menu.Item disabled={!inTable} onClick={() => run(deleteRow)}>
          Delete row
        </Menu.Item>
        <Menu.Item disabled={!inTable} onClick={() => run(deleteColumn)}>
          Delete column
        </Menu.Item>
        <Menu.Item disabled={!inTable} data-danger onClick={() => run(deleteTable)}>
          Delete table
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const ALIGN = [
  ['left', 'Align left', IconAlignLeft],
  ['center', 'Centre', IconAlignCenter],
  ['right', 'Align right', IconAlignRight],
  ['justify', 'Justify', IconAlignJustified],
] as const;

/** The tools of the rich text editor. */
export function Toolbar({ editor, full, onFull, source, onSource, onPickFile }: ToolbarProps) {
  const state = useEditorState({
    editor,
    selector: ({ editor: current }) => ({
      block: current.isActive('heading') ? `Heading ${String(current.getAttributes('heading').level)}` : 'Paragraph',
      bold: current.isActive('bold'),
      italic: current.isActive('italic'),
      underline: current.isActive('underline'),
      strike: current.isActive('strike'),
      code: current.isActive('code'),
      codeBlock: current.isActive('codeBlock'),
      quote: current.isActive('blockquote'),
      bullets: current.isActive('bulletList'),
      numbers: current.isActive('orderedList'),
      link: current.isActive('link'),
      table: current.isActive('table'),
      align: String(current.getAttributes('paragraph').textAlign ?? current.getAttributes('heading').textAlign ?? ''),
      dir: String(current.getAttributes('paragraph').dir ?? current.getAttributes('heading').dir ?? ''),
      undo: current.can().undo(),
      redo: current.can().redo(),
    }),
  });
  const roving = useRovingFocus<HTMLDivElement>();
  const chain = () => editor.chain().focus();
  const blocks = (attributes: Record<string, unknown>) =>
    chain().updateAttributes('paragraph', attributes).updateAttributes('heading', attributes).run();
  return (
    <div className={classes.toolbar} role="toolbar" aria-label="Formatting" {...roving}>
      {source ? null : (
        <>
          <Menu>
            <Menu.Target>
              <Button size="compact-xs" variant="subtle" color="gray" rightSection={<IconChevronDown size={12} />}>
                {state.block}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => chain().setParagraph().run()}>Paragraph</Menu.Item>
              {([1, 2, 3, 4] as const).map((level) => (
                <Menu.Item key={level} onClick={() => chain().setHeading({ level }).run()}>
                  Heading {level}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          <span className={classes.toolGroup}>
            <Tool icon={IconBold} label="Bold" active={state.bold} onClick={() => chain().toggleBold().run()} />
            <Tool icon={IconItalic} label="Italic" active={state.italic} onClick={() => chain().toggleItalic().run()} />
            <Tool
              icon={IconUnderline}
              label="Underline"
              active={state.underline}
              onClick={() => chain().toggleUnderline().run()}
            />
            <Tool
              icon={IconStrikethrough}
              label="Strike through"
              active={state.strike}
              onClick={() => chain().toggleStrike().run()}
            />
            <ColourTool editor={editor} />
          </span>
          <span className={classes.toolGroup}>
            {ALIGN.map(([value, label, icon]) => (
              <Tool
                key={value}
                icon={icon}
                label={label}
                active={state.align === value}
                onClick={() => blocks({ textAlign: state.align === value ? null : value })}
              />
            ))}
          </span>
          <span className={classes.toolGroup}>
            <Tool
              icon={IconList}
              label="Bullet list"
              active={state.bullets}
              onClick={() => chain().toggleBulletList().run()}
            />
            <Tool
              icon={IconListNumbers}
              label="Numbered list"
              active={state.numbers}
              onClick={() => chain().toggleOrderedList().run()}
            />
            <Tool
              icon={IconBlockquote}
              label="Quote"
              active={state.quote}
              onClick={() => chain().toggleBlockquote().run()}
            />
            <Tool
              icon={IconCodeDots}
              label="Code sample"
              active={state.codeBlock}
              onClick={() => chain().toggleCodeBlock().run()}
            />
          </span>
          <span className={classes.toolGroup}>
            <LinkTool editor={editor} active={state.link} />
            <MediaTool editor={editor} onPickFile={onPickFile} />
            <TableTool editor={editor} inTable={state.table} />
          </span>
          <span className={classes.toolGroup}>
            <Tool
              icon={state.dir === 'rtl' ? IconTextDirectionLtr : IconTextDirectionRtl}
              label={state.dir === 'rtl' ? 'Write left to right' : 'Write right to left'}
              active={state.dir === 'rtl'}
              onClick={() => blocks({ dir: state.dir === 'rtl' ? null : 'rtl' })}
            />
            <Tool
              icon={IconClearFormatting}
              label="Clear formatting"
              onClick={() => chain().unsetAllMarks().clearNodes().run()}
            />
          </span>
          <span className={classes.toolGroup}>
            <Tool icon={IconArrowBackUp} label="Undo" disabled={!state.undo} onClick={() => chain().undo().run()} />
            <Tool icon={IconArrowForwardUp} label="Redo" disabled={!state.redo} onClick={() => chain().redo().run()} />
          </span>
        </>
      )}
      <span className={classes.toolGroup}>
        {onSource ? <Tool icon={IconCode} label="HTML code" active={source} onClick={onSource} /> : null}
        <Tool
          icon={full ? IconArrowsMinimize : IconArrowsMaximize}
          label={full ? 'Leave full screen' : 'Full screen'}
          active={full}
          onClick={onFull}
        />
      </span>
    </div>
  );
}
